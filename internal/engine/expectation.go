package engine

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Expectation records the actions on existing objects that a preview shows: which objects an apply takes over, updates, deletes, replaces or hands over. A mark
// is a short text that changes with the state of an object. The Contradicts methods return the reason why an apply must not perform an action that it finds
// necessary now. Created objects have no entry, so that an expectation does not grow with them.
type Expectation struct {
	digest digest
	// also is another expectation that must hold too, or nil.
	also *Expectation
}

// And returns an expectation that holds if both hold. Either may be nil, which allows everything.
func (e *Expectation) And(other *Expectation) *Expectation {
	switch {
	case e == nil:
		return other
	case other == nil:
		return e
	}
	return &Expectation{digest: e.digest, also: e.also.And(other)}
}

// digest is the serialized form of an expectation.
type digest struct {
	// Picked are the clusters that the preview shows as picked, sorted. It is nil if the preview could not determine them, because something
	// it depends on was unknown.
	Picked []string `json:"picked"`
	// Updates means that the entries include updates of the placement's own objects. It is false if a hub applies the placement.
	Updates bool `json:"updates,omitempty"`
	// Clusters has the entries of every checked cluster, by cluster and by the object's key.
	Clusters map[string]map[string]entry `json:"clusters"`
	// Renamed has, by cluster, the former names that an apply replaces with the current name of the placement.
	Renamed map[string][]string `json:"renamed,omitempty"`
	// Left has the placements to which this placement leaves objects, by the object's key.
	Left map[string]string `json:"left,omitempty"`
	// HandedOver has the placements to which the plan hands objects over on clusters that could not be checked, by cluster and by the object's key.
	HandedOver map[string]map[string]string `json:"handedOver,omitempty"`
	// Missing has, by cluster, the keys of the workloads whose Pods need an object that is missing.
	Missing map[string][]string `json:"missing,omitempty"`
	// Autoscaled has, by cluster and by the object's key, the fields that an update sets although an autoscaler has set their current value.
	Autoscaled map[string]map[string][]string `json:"autoscaled,omitempty"`
	// Salt is the salt of the marks of takeovers and updates; empty if they have none.
	Salt string `json:"salt,omitempty"`
}

// entry is the part of a preview about one object. mark changes with the state of an object that is taken over or updated, and with the contents of a Namespace
// or definition that is deleted. For a hand-over, it is the name of the taking placement. For a replacement, it is empty. resourceVersion is empty if an apply
// does not compare it.
type entry struct {
	act             act
	mark            string
	resourceVersion string
}

// act is a letter for what happens to an object. It is part of the digest's format.
type act string

const (
	actNone     act = ""
	actTakeOver act = "t"
	actUpdate   act = "u"
	actTakeFrom act = "f"
	actHandOver act = "h"
	actDelete   act = "d"
	actReplace  act = "r"
)

// MarshalText writes an entry as ACT MARK @ RESOURCEVERSION, without the spaces.
func (e entry) MarshalText() ([]byte, error) {
	return []byte(string(e.act) + e.mark + "@" + e.resourceVersion), nil
}

// UnmarshalText parses the output of MarshalText.
func (e *entry) UnmarshalText(text []byte) error {
	head, version, found := strings.Cut(string(text), "@")
	if !found || head == "" {
		return fmt.Errorf("%q is not an entry of a digest", text)
	}
	*e = entry{act: act(head[:1]), mark: head[1:], resourceVersion: version}
	return nil
}

// Expect returns the expectation of an apply that follows a preview.
func Expect(preview *Preview) *Expectation {
	out := &Expectation{digest: digest{
		Updates: preview.Hub == nil, Clusters: map[string]map[string]entry{}, Renamed: map[string][]string{}, Left: map[string]string{},
		HandedOver: map[string]map[string]string{}, Missing: map[string][]string{}, Autoscaled: map[string]map[string][]string{},
	}}
	for object, placement := range preview.Left() {
		out.digest.Left[object.String()] = placement
	}
	if len(preview.Unknown) == 0 {
		out.digest.Picked = []string{}
	}
	for _, cluster := range preview.Clusters {
		if cluster.Picked && out.digest.Picked != nil {
			out.digest.Picked = append(out.digest.Picked, cluster.Name)
		}
		if cluster.Err != nil {
			out.handOverUnchecked(cluster)
			continue
		}
		if len(cluster.FormerNames) > 0 {
			out.digest.Renamed[cluster.Name] = cluster.FormerNames
		}
		entries := map[string]entry{}
		for _, object := range cluster.Objects {
			if e := object.entry(); e.act != actNone && (e.act != actUpdate || out.digest.Updates) {
				entries[object.Key().String()] = e
				out.expectAutoscaled(cluster.Name, object)
			}
			if len(object.Missing) > 0 {
				out.digest.Missing[cluster.Name] = append(out.digest.Missing[cluster.Name], object.Key().String())
			}
		}
		out.digest.Clusters[cluster.Name] = entries
	}
	slices.Sort(out.digest.Picked)
	return out
}

// LeftTo returns the placement to which the plan leaves an object. An engine that sets [HubPreview.Places] does not write an object that is left to another
// placement. LeftTo returns "" for other objects, and without an expectation.
func (e *Expectation) LeftTo(object manifest.Key) (placement string) {
	if e == nil {
		return ""
	}
	return e.digest.Left[object.String()]
}

// ShowsMissing reports whether the plan showed that a workload does not become available, because an object that its Pods need is missing.
func (e *Expectation) ShowsMissing(cluster string, object manifest.Key) bool {
	return e != nil && (slices.Contains(e.digest.Missing[cluster], object.String()) || e.also.ShowsMissing(cluster, object))
}

func (e *Expectation) expectAutoscaled(cluster string, object ObjectPreview) {
	for _, d := range object.Differences {
		if !d.HasHub || !d.Autoscaled() {
			continue
		}
		if e.digest.Autoscaled[cluster] == nil {
			e.digest.Autoscaled[cluster] = map[string][]string{}
		}
		key := object.Key().String()
		e.digest.Autoscaled[cluster][key] = append(e.digest.Autoscaled[cluster][key], d.Field)
	}
}

// KeepsAutoscaled reports whether an update keeps the value of an autoscaler in a field: the plan checked the cluster, and did not show that the update sets the
// field. It returns false without an expectation, and if a hub applies the placement.
func (e *Expectation) KeepsAutoscaled(cluster string, object manifest.Key, field string) bool {
	if e == nil {
		return false
	}
	_, checked := e.digest.Clusters[cluster]
	isShown := slices.Contains(e.digest.Autoscaled[cluster][object.String()], field)
	return checked && e.digest.Updates && !isShown || e.also.KeepsAutoscaled(cluster, object, field)
}

// entry returns what the next apply is expected to do to the object. [Expect] omits the updates of a hub's agents, which happen regardless of a plan.
func (o ObjectPreview) entry() entry {
	out := entry{mark: o.Mark, resourceVersion: o.ResourceVersion}
	switch o.Action {
	case takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		out.act = o.takeover()
	case takeover.ActionUpdate:
		out.act = actUpdate
	case takeover.ActionReject: // an apply decides again, and can write the object then
		out.resourceVersion = ""
		switch {
		case o.Rejected() && o.Owned:
			out.act = actUpdate
		case o.Rejected() && o.Exists:
			out.act = o.takeover()
		}
	case takeover.ActionPrune, takeover.ActionUnknown: // an object with ActionUnknown may have to be deleted
		return entry{act: actDelete, mark: o.Contents.Mark()}
	case takeover.ActionReplace:
		return entry{act: actReplace}
	case takeover.ActionDefer:
		if o.Obstacle == takeover.ObstacleOccupied { // the object is deleted if the run removes its contents
			return entry{act: actDelete, mark: o.Contents.Mark()}
		}
	case takeover.ActionHandOver:
		return entry{act: actHandOver, mark: o.To}
	case takeover.ActionNone, takeover.ActionCreate, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReport,
		takeover.ActionOrphan:
	}
	return out
}

// takeover returns the act by which the placement becomes the owner of an object.
func (o ObjectPreview) takeover() act {
	if o.Given != nil {
		return actTakeFrom
	}
	return actTakeOver
}

// ExpectNothing returns the expectation of a plan that could check nothing. An apply with this expectation creates objects and updates the placement's own
// objects. It neither takes over nor deletes objects.
func ExpectNothing() *Expectation { return &Expectation{} }

// isExpectNothing reports whether the expectation is, or includes, one that [ExpectNothing] returned.
func (e *Expectation) isExpectNothing() bool {
	return e != nil && (e.digest.Clusters == nil || e.also.isExpectNothing())
}

func (e *Expectation) entry(cluster string, object manifest.Key) (shown entry, checked bool) {
	entries, checked := e.digest.Clusters[cluster]
	return entries[object.String()], checked
}

// Checked reports whether the plan checked a cluster. It returns true without an expectation.
func (e *Expectation) Checked(cluster string) bool {
	if e == nil {
		return true
	}
	_, checked := e.digest.Clusters[cluster]
	return checked && e.also.Checked(cluster)
}

// Picks reports whether the plan showed a cluster as picked. It returns false without an expectation.
func (e *Expectation) Picks(cluster string) bool {
	return e != nil && slices.Contains(e.digest.Picked, cluster) && (e.also == nil || e.also.Picks(cluster))
}

// Picked returns the clusters that the plan showed as picked, sorted by name. It returns nil without an expectation, and if the plan could not determine them.
// It ignores an expectation that [Expectation.And] added.
func (e *Expectation) Picked() []string {
	if e == nil {
		return nil
	}
	return e.digest.Picked
}

// Agreed reports whether the plan showed the action for an object, and neither the object nor the differing fields have changed since. Then the plan's findings
// about the object are still valid. Agreed returns false for actions other than takeovers and updates.
func (e *Expectation) Agreed(cluster string, now ObjectPreview, action takeover.Action) bool {
	if e == nil || now.ResourceVersion == "" {
		return false
	}
	planned, _ := e.entry(cluster, now.Key())
	now.Action = action
	isSameAct := planned.act == now.entry().act && (action == takeover.ActionTakeOver || action == takeover.ActionTakeOverFrom || action == takeover.ActionUpdate)
	return isSameAct && planned.resourceVersion == now.ResourceVersion && e.isMark(planned.mark, now.Mark) &&
		(action == takeover.ActionUpdate || e.also.contradicts(planned.act, cluster, now.Key(), now.Mark) == "")
}

// String returns the expectation as text for [ParseExpectation]. Equal expectations have equal texts. The text does not include an expectation that
// [Expectation.And] added.
func (e *Expectation) String() string {
	var text bytes.Buffer
	compressed := gzip.NewWriter(&text)
	// Neither call returns an error: a digest can always be encoded, and a buffer can always be written.
	_ = json.NewEncoder(compressed).Encode(e.digest)
	_ = compressed.Close()
	return expectationPrefix + base64.RawURLEncoding.EncodeToString(text.Bytes())
}

const (
	// expectationPrefix changes with the meaning of an expectation: earlier versions did not restrict deletions, updates or hand-overs.
	expectationPrefix = "v4."
	// maxExpectation bounds the decompressed size in bytes. It is enough for 100 objects on each of 1,000 clusters.
	maxExpectation = 32 << 20
)

var olderExpectationPrefixes = []string{"v1.", "v2.", "v3."}

// ParseExpectation parses the output of String.
func ParseExpectation(text string) (*Expectation, error) {
	for _, older := range olderExpectationPrefixes {
		if strings.HasPrefix(text, older) {
			return nil, errors.New("it is the digest of an older version of the provider, which covers less: create the preview again with this " +
				"version, and use its digest")
		}
	}
	problem := errors.New("it is not the digest of a preview: use the attribute \"digest\" of a fleet_placement_preview unchanged")
	encoded, found := strings.CutPrefix(text, expectationPrefix)
	if !found {
		return nil, problem
	}
	data, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil, problem
	}
	decompressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, problem
	}
	out := &Expectation{}
	if err := json.NewDecoder(io.LimitReader(decompressed, maxExpectation)).Decode(&out.digest); err != nil {
		return nil, problem
	}
	return out, nil
}
