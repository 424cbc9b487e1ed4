package record

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

const underWayKey = "under-way.json"

// Lease records in an inventory that an operation on the placement is in progress. The operation renews its lease, so that other operations can distinguish a
// running operation from a killed one.
type Lease struct {
	ID        string           `json:"id"`
	Operation engine.Operation `json:"operation"`
	// Began and Renewed are times by the clock of the machine that runs the operation.
	Began   time.Time `json:"began"`
	Renewed time.Time `json:"renewed"`
}

// NewUnderWay returns the lease of an operation that starts now.
func NewUnderWay(operation engine.Operation, now time.Time) *Lease {
	now = now.UTC().Truncate(time.Second)
	return &Lease{ID: rand.Text(), Operation: operation, Began: now, Renewed: now}
}

// At returns the lease, renewed at the given time.
func (u Lease) At(now time.Time) *Lease {
	u.Renewed = now.UTC().Truncate(time.Millisecond)
	return &u
}

// LeaseOf returns the lease in a record, or nil if the record has no readable lease.
func LeaseOf(live *unstructured.Unstructured) *Lease {
	encode, found, _ := unstructured.NestedString(live.Object, "data", underWayKey)
	if !found {
		return nil
	}
	out := &Lease{}
	if json.Unmarshal([]byte(encode), out) != nil {
		return nil
	}
	return out
}

// IsInventory reports whether a ConfigMap or a Secret is a record of a placement, and not another object with the name of the record.
func IsInventory(live *unstructured.Unstructured) bool {
	return live.GetLabels()[KindLabel] == PlacementKind
}

// LeasePatch returns the merge patch that sets the lease in a record, or removes it if mark is nil. The API server rejects the patch if the record has
// changed since it was read.
func LeasePatch(live *unstructured.Unstructured, mark *Lease) ([]byte, error) {
	var value any
	if mark != nil {
		value = mark.encode()
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": string(live.GetUID()), "resourceVersion": live.GetResourceVersion()},
		"data":     map[string]any{underWayKey: value},
	})
}

// WithUnderWay returns a copy of the record with the lease, or without a lease if mark is nil.
func WithUnderWay(live *unstructured.Unstructured, mark *Lease) *unstructured.Unstructured {
	out := live.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "data", underWayKey)
	if mark != nil {
		_ = unstructured.SetNestedField(out.Object, mark.encode(), "data", underWayKey)
	}
	return out
}

func (u Lease) encode() string {
	// A value with only strings and times can always be encoded.
	encode, _ := json.MarshalIndent(u, "", "  ")
	return string(encode)
}
