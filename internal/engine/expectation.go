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

// Expectation is what a preview shows an apply to do to objects that exist: which ones it takes over, updates, deletes or replaces, each with a mark
// of how it was found. An apply that is held to an expectation does none of this to an object that the preview did not show, or did not show as it
// is now. Objects that are created need no entry, so that an expectation does not grow with them.
type Expectation struct {
	shown shown
	// also is another expectation that has to hold as well, nil for none.
	also *Expectation
}

// And returns an expectation that holds where both do. One of them may be nil, which holds for everything.
func (e *Expectation) And(other *Expectation) *Expectation {
	switch {
	case e == nil:
		return other
	case other == nil:
		return e
	}
	return &Expectation{shown: e.shown, also: other}
}

// shown is the serialised form of an expectation.
type shown struct {
	// Picked are the clusters that the preview shows as picked, sorted. It is nil if the preview could not say, because parts of what it depends on
	// were unknown.
	Picked []string `json:"picked"`
	// Updates tells whether updates of the placement's own objects are among the entries.
	Updates bool `json:"updates,omitempty"`
	// Clusters has the entries of every cluster that was checked, by the object's key.
	Clusters map[string]map[string]entry `json:"clusters"`
	// Renamed has, by cluster, the names of the placement that an apply replaces by its name.
	Renamed map[string][]string `json:"renamed,omitempty"`
	// Left has the placements to which this placement leaves objects, by the object's key.
	Left map[string]string `json:"left,omitempty"`
	// HandedOver has, by cluster that could not be checked and by object, the placements that the plan leaves objects to.
	HandedOver map[string]map[string]string `json:"handedOver,omitempty"`
	// Missing has, by cluster, the keys of the workloads whose Pods need an object that is missing.
	Missing map[string][]string `json:"missing,omitempty"`
	// Salt is that of the marks of takeovers and updates; empty if these have none.
	Salt string `json:"salt,omitempty"`
}

// entry is what a preview shows of one object: what becomes of it, a mark of how it was found, and its resourceVersion if it was read.
type entry struct {
	act             act
	mark            string
	resourceVersion string
}

// act is a letter for what becomes of an object. It is part of the digest's format.
type act string

const (
	nothing  act = ""
	takeOver act = "t"
	update   act = "u"
	takeFrom act = "f"
	handOver act = "h"
	deletion act = "d"
	replace  act = "r"
)

// MarshalText writes an entry as ACT MARK @ RESOURCEVERSION, without the spaces.
func (e entry) MarshalText() ([]byte, error) {
	return []byte(string(e.act) + e.mark + "@" + e.resourceVersion), nil
}

// UnmarshalText reads what MarshalText wrote.
func (e *entry) UnmarshalText(text []byte) error {
	head, version, found := strings.Cut(string(text), "@")
	if !found || head == "" {
		return fmt.Errorf("%q is no entry of a digest", text)
	}
	*e = entry{act: act(head[:1]), mark: head[1:], resourceVersion: version}
	return nil
}

// Expect returns what an apply is held to that follows a preview.
func Expect(preview *Preview) *Expectation {
	out := &Expectation{shown: shown{
		Updates: !preview.Predicted, Clusters: map[string]map[string]entry{}, Renamed: map[string][]string{}, Left: map[string]string{},
		HandedOver: map[string]map[string]string{}, Missing: map[string][]string{},
	}}
	for object, placement := range preview.Left() {
		out.shown.Left[object.String()] = placement
	}
	if len(preview.Unknown) == 0 {
		out.shown.Picked = []string{}
	}
	for _, cluster := range preview.Clusters {
		if cluster.Picked && out.shown.Picked != nil {
			out.shown.Picked = append(out.shown.Picked, cluster.Name)
		}
		if cluster.Err != nil {
			out.handOverUnchecked(cluster)
			continue
		}
		if len(cluster.FormerNames) > 0 {
			out.shown.Renamed[cluster.Name] = cluster.FormerNames
		}
		entries := map[string]entry{}
		for _, object := range cluster.Objects {
			if e := object.entry(); e.act != nothing && (e.act != update || out.shown.Updates) {
				entries[object.Key().String()] = e
			}
			if len(object.Missing) > 0 {
				out.shown.Missing[cluster.Name] = append(out.shown.Missing[cluster.Name], object.Key().String())
			}
		}
		out.shown.Clusters[cluster.Name] = entries
	}
	slices.Sort(out.shown.Picked)
	return out
}

// LeftTo returns the placement to which the plan leaves an object. It returns "" for an object that is not left to another placement, and for no
// expectation. An engine that sets [Preview.Places] does not write such an object.
func (e *Expectation) LeftTo(object manifest.Key) (placement string) {
	if e == nil {
		return ""
	}
	return e.shown.Left[object.String()]
}

// ShowsMissing reports whether the plan showed that a workload does not become available, because an object that its Pods need is missing.
func (e *Expectation) ShowsMissing(cluster string, object manifest.Key) bool {
	return e != nil && (slices.Contains(e.shown.Missing[cluster], object.String()) || e.also.ShowsMissing(cluster, object))
}

// entry returns what an apply that follows is expected to do to the object. Objects that a hub's agents update again and again, whatever a plan shows,
// are not among the entries of [Expect].
func (o ObjectPreview) entry() entry {
	out := entry{mark: o.Mark, resourceVersion: o.ResourceVersion}
	switch o.Action {
	case takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		out.act = o.takeover()
	case takeover.ActionUpdate:
		out.act = update
	case takeover.ActionReject: // an apply decides about it again, and tries it nevertheless where that is safe
		out.resourceVersion = ""
		switch {
		case o.Rejected() && o.Owned:
			out.act = update
		case o.Rejected() && o.Exists:
			out.act = o.takeover()
		}
	case takeover.ActionPrune, takeover.ActionUnknown: // the latter may have to be deleted
		return entry{act: deletion, mark: o.Contents.Mark()}
	case takeover.ActionReplace:
		return entry{act: replace}
	case takeover.ActionDefer:
		if o.Obstacle == takeover.ObstacleOccupied { // it is deleted if the run removes what is in it
			return entry{act: deletion, mark: o.Contents.Mark()}
		}
	case takeover.ActionHandOver:
		return entry{act: handOver, mark: o.To}
	case takeover.ActionNone, takeover.ActionCreate, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReport,
		takeover.ActionOrphan:
	}
	return out
}

// takeover is how an apply makes an object the placement's own that it is not now.
func (o ObjectPreview) takeover() act {
	if o.Given != nil {
		return takeFrom
	}
	return takeOver
}

// ExpectNothing is the expectation of a plan that could check nothing: its apply creates objects and updates the placement's own ones. It takes nothing
// over and deletes nothing.
func ExpectNothing() *Expectation { return &Expectation{} }

// checkedNothing reports whether this is what [ExpectNothing] returns, or was made of it.
func (e *Expectation) checkedNothing() bool {
	return e != nil && (e.shown.Clusters == nil || e.also.checkedNothing())
}

// entry returns what was shown of an object, and whether the cluster was checked at all.
func (e *Expectation) entry(cluster string, object manifest.Key) (shown entry, checked bool) {
	entries, checked := e.shown.Clusters[cluster]
	return entries[object.String()], checked
}

// Checked reports whether the plan checked a cluster, or no plan was to check any.
func (e *Expectation) Checked(cluster string) bool {
	if e == nil {
		return true
	}
	_, checked := e.shown.Clusters[cluster]
	return checked && e.also.Checked(cluster)
}

// Contradicts returns why an object that is not the placement's own must not be taken over: the takeover was not shown, or not of the object as it is
// now. It returns "" if it was, and for no expectation.
func (e *Expectation) Contradicts(cluster string, object manifest.Key, mark string) string {
	return e.contradicts(takeOver, cluster, object, mark)
}

// ContradictsGiven is [Expectation.Contradicts] for an object that another placement hands over.
func (e *Expectation) ContradictsGiven(cluster string, object manifest.Key, mark string) string {
	return e.contradicts(takeFrom, cluster, object, mark)
}

func (e *Expectation) contradicts(how act, cluster string, object manifest.Key, mark string) string {
	if e == nil {
		return ""
	}
	if problem := e.also.contradicts(how, cluster, object, mark); problem != "" {
		return problem
	}
	shown, checked := e.entry(cluster, object)
	switch {
	case !checked:
		return "the plan did not check the cluster, so that it did not show the takeover"
	case shown.act == takeOver && how == takeFrom, shown.act == takeFrom && how == takeOver:
		return "the plan showed another owner of the object than it has now"
	case shown.act != how:
		return "the plan did not show the takeover: the object appeared since, or was not to be taken over"
	case e.isMark(shown.mark, mark):
		return ""
	case strings.HasPrefix(shown.mark, markEqual):
		return "the object was equal to its manifest when the plan was made, and has changed or been replaced since"
	default:
		return "the object has changed or been replaced since the plan was made"
	}
}

// ContradictsUpdate returns why an object of the placement's own must not be updated: the plan checked the cluster and did not show an update of these
// fields. It returns "" if it did, for no expectation, and for a cluster that was not checked, which the plan says.
func (e *Expectation) ContradictsUpdate(cluster string, object manifest.Key, mark string) string {
	if e == nil {
		return ""
	}
	if problem := e.also.ContradictsUpdate(cluster, object, mark); problem != "" {
		return problem
	}
	shown, checked := e.entry(cluster, object)
	switch {
	case !checked, !e.shown.Updates, shown.act == update && e.isMark(shown.mark, mark):
		return ""
	case shown.act != update:
		return "the plan did not show an update of the object: it has changed since, or the credentials of the plan could not find the difference"
	default:
		return "the object has changed since the plan was made: other fields differ from the manifest"
	}
}

// ContradictsDeletion returns why an object of the placement's own must not be deleted: the deletion was not shown, or the Namespace or definition
// contains other objects by now than the plan showed to be lost. It returns "" if the deletion was shown, and for no expectation.
func (e *Expectation) ContradictsDeletion(cluster string, object manifest.Key, contents *Contents) string {
	if e == nil {
		return ""
	}
	if problem := e.also.ContradictsDeletion(cluster, object, contents); problem != "" {
		return problem
	}
	shown, checked := e.entry(cluster, object)
	switch {
	case !checked:
		return "the plan did not check the cluster, so that it did not show the deletion"
	case shown.act != deletion:
		return "the plan did not show the deletion"
	case contents.Mark() != "" && shown.mark != contents.Mark():
		return "what the deletion takes along has changed since the plan was made: " + contents.Names()
	}
	return ""
}

// ContradictsRename returns why the placement must not be renamed on a cluster: the plan checked the cluster and did not show the names that the
// placement has there. It returns "" if it did, for no expectation, and for a cluster that was not checked, which the plan says.
func (e *Expectation) ContradictsRename(cluster string, from []string) string {
	if e == nil {
		return ""
	}
	_, checked := e.shown.Clusters[cluster]
	for _, name := range from {
		if checked && !slices.Contains(e.shown.Renamed[cluster], name) {
			return fmt.Sprintf("the placement has the name %q there, and the plan did not show that it is renamed", name)
		}
	}
	return e.also.ContradictsRename(cluster, from)
}

// ContradictsReplacement returns why an object must not be deleted and recreated: the plan did not show it. It returns "" if it did, and for no
// expectation.
func (e *Expectation) ContradictsReplacement(cluster string, object manifest.Key) string {
	if e == nil {
		return ""
	}
	if shown, _ := e.entry(cluster, object); shown.act != replace {
		return "the plan did not show that the object is deleted and recreated"
	}
	return e.also.ContradictsReplacement(cluster, object)
}

// Picks reports whether the plan showed that a cluster is picked. It returns false if there is no expectation.
func (e *Expectation) Picks(cluster string) bool {
	return e != nil && slices.Contains(e.shown.Picked, cluster) && (e.also == nil || e.also.Picks(cluster))
}

// Agreed reports whether the plan showed what becomes of an object, and neither the object nor the fields in which it differs from its manifest have
// changed since: what the plan found out about it holds without asking again.
func (e *Expectation) Agreed(cluster string, now ObjectPreview, action takeover.Action) bool {
	if e == nil || now.ResourceVersion == "" {
		return false
	}
	shown, _ := e.entry(cluster, now.Key())
	now.Action = action
	is := shown.act == now.entry().act && (action == takeover.ActionTakeOver || action == takeover.ActionTakeOverFrom || action == takeover.ActionUpdate)
	return is && shown.resourceVersion == now.ResourceVersion && e.isMark(shown.mark, now.Mark) &&
		(action == takeover.ActionUpdate || e.also.contradicts(shown.act, cluster, now.Key(), now.Mark) == "")
}

// ContradictsPick returns why nothing must be placed on a cluster: the plan did not show it as picked. It returns "" if it did, for no expectation, and
// where the plan could not say which clusters are picked.
func (e *Expectation) ContradictsPick(cluster string) string {
	switch {
	case e == nil:
		return ""
	case e.shown.Picked == nil, slices.Contains(e.shown.Picked, cluster):
		return e.also.ContradictsPick(cluster)
	}
	return "the placement picks the cluster now, and the plan did not show it as picked"
}

// contradictsCluster returns why an engine that cannot stop a hub must not write: the placement picks other clusters than the plan shows, or a cluster
// that the plan checked cannot be checked now. It returns "" for a cluster on which nothing is pending.
func (e *Expectation) contradictsCluster(now ClusterPreview) string {
	if e == nil {
		return ""
	}
	entries, checked := e.shown.Clusters[now.Name]
	pending := now.Resume || slices.ContainsFunc(now.Objects, func(o ObjectPreview) bool {
		return o.Action.Writes() && o.Action != takeover.ActionUpdate // agents update whatever a plan shows
	})
	switch problem := e.ContradictsPick(now.Name); {
	case checked && now.Err != nil && (pending || len(entries) > 0):
		return "the plan checked the cluster, and now it cannot be checked: " + now.Err.Error()
	case pending && now.Picked && problem != "":
		return problem
	case pending && !now.Picked && slices.Contains(e.shown.Picked, now.Name):
		return "the placement does not pick the cluster now, and the plan showed it as picked"
	}
	return ""
}

// String returns the expectation as text that [ParseExpectation] reads: equal expectations have equal texts.
func (e *Expectation) String() string {
	var text bytes.Buffer
	compressed := gzip.NewWriter(&text)
	// Maps of strings have no JSON error, and a buffer none of writing.
	_ = json.NewEncoder(compressed).Encode(e.shown)
	_ = compressed.Close()
	return expectationPrefix + base64.RawURLEncoding.EncodeToString(text.Bytes())
}

const (
	// expectationPrefix changes with what an expectation binds: digests of earlier versions did not say what is deleted, updated or handed over.
	expectationPrefix = "v4."
	// maxExpectation bounds what is read, in bytes before compression: some 100 objects on each of 1,000 clusters.
	maxExpectation = 32 << 20
)

var olderExpectationPrefixes = []string{"v1.", "v2.", "v3."}

// ParseExpectation reads what String returned.
func ParseExpectation(text string) (*Expectation, error) {
	for _, older := range olderExpectationPrefixes {
		if strings.HasPrefix(text, older) {
			return nil, errors.New("it is the digest of an older version of the provider, which binds less: make the preview again with this version, and use " +
				"its digest")
		}
	}
	problem := errors.New("it is not the digest of a preview: use the attribute \"digest\" of a fleet_placement_preview as it is")
	encoded, found := strings.CutPrefix(text, expectationPrefix)
	if !found {
		return nil, problem
	}
	data, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil, problem
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, problem
	}
	out := &Expectation{}
	if err := json.NewDecoder(io.LimitReader(plain, maxExpectation)).Decode(&out.shown); err != nil {
		return nil, problem
	}
	return out, nil
}
