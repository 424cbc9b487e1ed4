package record

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

const underWayKey = "under-way.json"

// UnderWay says in an inventory that an operation on the placement is under way. It is renewed while that lives, so that others can tell it
// from one that was killed.
type UnderWay struct {
	// ID is the operation's own.
	ID        string           `json:"id"`
	Operation engine.Operation `json:"operation"`
	// Began and Renewed are by the clock of who wrote it.
	Began   time.Time `json:"began"`
	Renewed time.Time `json:"renewed"`
}

// NewUnderWay is that of an operation that begins.
func NewUnderWay(operation engine.Operation, now time.Time) *UnderWay {
	now = now.UTC().Truncate(time.Second)
	return &UnderWay{ID: rand.Text(), Operation: operation, Began: now, Renewed: now}
}

// At is the mark of an operation that is alive at a time.
func (u UnderWay) At(now time.Time) *UnderWay {
	u.Renewed = now.UTC().Truncate(time.Millisecond)
	return &u
}

// UnderWayOf reads the mark of a record as it is, nil if it has none that can be read.
func UnderWayOf(live *unstructured.Unstructured) *UnderWay {
	text, found, _ := unstructured.NestedString(live.Object, "data", underWayKey)
	if !found {
		return nil
	}
	out := &UnderWay{}
	if json.Unmarshal([]byte(text), out) != nil {
		return nil
	}
	return out
}

// IsInventory tells a record of a placement from what somebody else has made under its name.
func IsInventory(live *unstructured.Unstructured) bool {
	return live.GetLabels()[KindLabel] == PlacementKind
}

// UnderWayPatch is the merge patch that gives a record another mark, or with nil takes it off. It is refused if the record has changed since
// it was read.
func UnderWayPatch(live *unstructured.Unstructured, mark *UnderWay) ([]byte, error) {
	var value any
	if mark != nil {
		value = mark.text()
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": string(live.GetUID()), "resourceVersion": live.GetResourceVersion()},
		"data":     map[string]any{underWayKey: value},
	})
}

// WithUnderWay is the whole record with another mark, or with nil without one.
func WithUnderWay(live *unstructured.Unstructured, mark *UnderWay) *unstructured.Unstructured {
	out := live.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "data", underWayKey)
	if mark != nil {
		_ = unstructured.SetNestedField(out.Object, mark.text(), "data", underWayKey)
	}
	return out
}

func (u UnderWay) text() string {
	// It is made of texts and times, so it encodes.
	text, _ := json.MarshalIndent(u, "", "  ")
	return string(text)
}
