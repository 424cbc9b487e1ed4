package takeover

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// scenario is a case: what is on the member, what is placed and how, and what is foreseen for one of the objects.
type scenario struct {
	// name begins with the row of the decision table, or the number of the worked case, in
	// reference/kubefleet-apply-takeover.md.
	name string
	// before is what others do on the member before there is a placement.
	before []step
	// earlier is what the placement has placed before, empty if it is new, and earlierHow its strategy then, nil for the same.
	earlier    string
	earlierHow *placement.ApplyStrategy
	// since is what others have done after that.
	since []step
	// placed is what is to be placed now, and how.
	placed string
	how    placement.ApplyStrategy
	// object is the name of the one that want is about; empty for "it".
	object string
	want   want
	// readOnly is what is foreseen for the object with credentials that may only read; empty for the same.
	readOnly engine.Action
	// altered says that admission rules make something else of what is placed.
	altered bool
	// secrets must show nowhere, as they are or in base64.
	secrets []string
	// inspect looks closer at what is foreseen, by either look; after looks at the member when all is done.
	inspect func(w *world, foreseen engine.ObjectPreview)
	after   func(w *world)
	// fails is a part of the error with which both the preview and the apply end; then want is of no account.
	fails string
	// differs says in what the direct engine differs from KubeFleet, and why; empty if it does not.
	differs string
}

// want is what is foreseen for an object, and then comes to be.
type want struct {
	action engine.Action
	// reason is KubeFleet's, message a part of its message.
	reason, message string
	diffs, drifts   []placement.PatchDetail
	// paths are those of the diffs, where the values are of no interest or not the same every time.
	paths []string
	// fields are the differences as they are told to people; nil if that is of no interest.
	fields []string
}

// The strategies' values, short.
const (
	always   = placement.TakeOverAlways
	ifNoDiff = placement.TakeOverIfNoDiff
	never    = placement.TakeOverNever
	full     = placement.FullComparison
)

// run makes a preview and an apply of every case and holds the one against the other.
func run(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(newWorld(t))
		})
	}
}

func (s scenario) run(w *world) {
	w.do(s.before...)
	request := w.request(s.placed, s.how)
	if s.earlier != "" {
		how := s.how
		if s.earlierHow != nil {
			how = *s.earlierHow
		}
		earlier := w.request(s.earlier, how)
		result, err := w.engine.ApplyPlacement(w.Context(), earlier)
		if err != nil {
			w.Fatal(err)
		}
		request.Create, request.Prior = false, &result.Status
	}
	w.do(s.since...)

	if s.fails != "" {
		s.failing(w, request)
		return
	}
	if w.reader != nil {
		read := w.preview(w.reader, request)
		s.foreseenByReader(w, read)
		s.keepsSecrets(w, read)
	}
	foreseen := w.preview(w.engine, request)
	s.foreseen(w, foreseen)
	seen := w.snapshot(foreseen)
	s.agrees(w, foreseen, seen)

	result, err := w.engine.ApplyPlacement(w.Context(), request)
	if err != nil {
		w.Fatal(err)
	}
	w.status = result.Status.Clusters[w.member]
	var wanted []*unstructured.Unstructured
	if !s.altered {
		wanted = w.objects(s.placed)
	}
	w.comesTrue(foreseen, w.status, seen, wanted)

	request.Create, request.Prior = false, &result.Status
	again := w.preview(w.engine, request)
	rejected := slices.ContainsFunc(foreseen.Objects, engine.ObjectPreview.Rejected)
	if again.Pending() != rejected {
		w.Errorf("after the apply, there is something to do: %v; should be: %v\n%s", again.Pending(), rejected, describe(again))
	}
	s.keepsSecrets(w, foreseen, result, again, w.must("v1 ConfigMap "+direct.Namespace+"/placement-"+w.name).Object)
	if s.after != nil {
		s.after(w)
	}
}

// agrees wants KubeFleet's way of looking for differences to find none either, where none stand in the way of a takeover: a local
// comparison that has found none was not made for want of a way to see them.
func (s scenario) agrees(w *world, foreseen engine.ClusterPreview, live map[manifest.Key]*unstructured.Unstructured) {
	w.Helper()
	if s.how.WhenToTakeOver != ifNoDiff || s.how.ComparisonOption == full {
		return
	}
	for _, wanted := range w.objects(s.placed) {
		for _, o := range foreseen.Objects {
			if o.Action != engine.ActionTakeOver || o.Kind != wanted.GetKind() || o.Name != wanted.GetName() {
				continue
			}
			options := kube.ApplyOptions{Force: true, DryRun: true}
			result, _, err := w.writer("work-api-agent").ApplyServerSide(w.Context(), wanted, live[o.Key()], options)
			if err != nil {
				w.Errorf("%s: %v", o.Identifier, err)
				continue
			}
			if details := diff.Patches(result, live[o.Key()]); len(details) > 0 {
				w.Errorf("%s is to be taken over, and a dry run finds differences: %+v", o.Identifier, details)
			}
		}
	}
}

// keepsSecrets fails the test if any of the values shows one of the case's secrets.
func (s scenario) keepsSecrets(w *world, values ...any) {
	w.Helper()
	for _, value := range values {
		text := fmt.Sprintf("%+v", value)
		if data, err := json.Marshal(value); err == nil {
			text += string(data)
		}
		for _, secret := range s.secrets {
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
				if at := strings.Index(text, form); at >= 0 {
					w.Errorf("%T shows %q: …%s…", value, form, text[max(0, at-200):min(len(text), at+100)])
				}
			}
		}
	}
}

// failing wants the preview and the apply to end with an error, and nothing to be written.
func (s scenario) failing(w *world, request engine.PlacementRequest) {
	w.Helper()
	before := len(w.requests())
	_, previewErr := w.engine.Preview(w.Context(), request)
	_, applyErr := w.engine.ApplyPlacement(w.Context(), request)
	s.keepsSecrets(w, previewErr, applyErr)
	for what, err := range map[string]error{"preview": previewErr, "apply": applyErr} {
		if err == nil || !strings.Contains(err.Error(), w.expand(s.fails)) {
			w.Errorf("%s: %v, want %q", what, err, w.expand(s.fails))
		}
	}
	for _, r := range w.requests()[before:] {
		if r.Write() {
			w.Errorf("was written nevertheless: %s", r)
		}
	}
}

// preview makes one, and fails the test if it writes anything.
func (w *world) preview(e engine.Placements, request engine.PlacementRequest) engine.ClusterPreview {
	w.Helper()
	before := len(w.requests())
	preview, err := e.Preview(w.Context(), request)
	if err != nil {
		w.Fatal(err)
	}
	requests := w.requests()[before:]
	if len(requests) == 0 {
		w.Error("the preview asked nothing, as far as was recorded")
	}
	for _, r := range requests {
		if r.Write() {
			w.Errorf("the preview wrote: %s", r)
		}
	}
	if len(preview.Clusters) != 1 || preview.Clusters[0].Err != nil || !preview.Clusters[0].Picked {
		w.Fatalf("clusters: %+v", preview.Clusters)
	}
	return preview.Clusters[0]
}

// target is the name of the object that want is about.
func (s scenario) target() string {
	if s.object == "" {
		return "it"
	}
	return s.object
}

func (s scenario) foreseen(w *world, cluster engine.ClusterPreview) {
	w.Helper()
	object, found := objectOf(cluster, w.expand(s.target()))
	if !found {
		w.Fatalf("the preview does not have the object:\n%s", describe(cluster))
	}
	if cluster.Look != engine.LookDryRun && cluster.Look != engine.LookReadOnly {
		w.Errorf("looked at: %s", cluster.Look)
	}
	if object.Action != s.want.action || object.Reason != s.want.reason || !strings.Contains(object.Message, w.expand(s.want.message)) {
		w.Errorf("foreseen: %s %s %q\nwant:     %s %s %q", object.Action, object.Reason, object.Message, s.want.action, s.want.reason, w.expand(s.want.message))
	}
	if (object.Message == "") != (s.want.message == "") {
		w.Errorf("the message is %q", object.Message)
	}
	if s.want.paths != nil {
		if diff := cmp.Diff(s.want.paths, pathsOf(object.ObservedDiffs)); diff != "" {
			w.Errorf("paths of the observed diffs (-want +got):\n%s\n%v", diff, object.ObservedDiffs)
		}
	} else if diff := cmp.Diff(s.want.diffs, object.ObservedDiffs, cmpopts.EquateEmpty()); diff != "" {
		w.Errorf("observed diffs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(s.want.drifts, object.ObservedDrifts, cmpopts.EquateEmpty()); diff != "" {
		w.Errorf("observed drifts (-want +got):\n%s", diff)
	}
	if s.inspect != nil {
		s.inspect(w, object)
	}
	if s.want.fields != nil {
		if diff := cmp.Diff(s.want.fields, fieldsOf(object), cmpopts.EquateEmpty()); diff != "" {
			w.Errorf("differences (-want +got):\n%s", diff)
		}
	}
}

func (s scenario) foreseenByReader(w *world, cluster engine.ClusterPreview) {
	w.Helper()
	object, _ := objectOf(cluster, w.expand(s.target()))
	action := s.want.action
	if s.readOnly != "" {
		action = s.readOnly
	}
	if object.Action != action || cluster.Look != engine.LookReadOnly {
		w.Errorf("with credentials that may only read: %s %s %q by %s, want %s; %v", object.Action, object.Reason, object.Message, cluster.Look, action,
			fieldsOf(object))
	}
	if s.inspect != nil && s.readOnly == "" {
		s.inspect(w, object)
	}
	if stats := w.readerCluster.Stats(); stats.DryRuns+stats.Writes > 0 {
		w.Errorf("requests that are not allowed: %+v", stats)
	}
}

func objectOf(cluster engine.ClusterPreview, name string) (engine.ObjectPreview, bool) {
	for _, o := range cluster.Objects {
		if o.Name == name {
			return o, true
		}
	}
	return engine.ObjectPreview{}, false
}

func pathsOf(details []placement.PatchDetail) []string {
	out := []string{}
	for _, d := range details {
		out = append(out, d.Path)
	}
	return out
}

func fieldsOf(object engine.ObjectPreview) []string {
	out := []string{}
	for _, d := range object.Differences {
		out = append(out, d.Field)
	}
	return out
}

func describe(cluster engine.ClusterPreview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, resume: %v\n", cluster.Look, cluster.Resume)
	for _, o := range cluster.Objects {
		fmt.Fprintf(&b, "%s: %s %s %s %v\n", o.Identifier, o.Action, o.Reason, o.Message, fieldsOf(o))
	}
	return b.String()
}

// snapshot is the objects of a preview as they are on the member.
func (w *world) snapshot(cluster engine.ClusterPreview) map[manifest.Key]*unstructured.Unstructured {
	w.Helper()
	out := map[manifest.Key]*unstructured.Unstructured{}
	for _, o := range cluster.Objects {
		out[o.Key()] = w.get(refOfObject(o))
	}
	return out
}

func refOfObject(o engine.ObjectPreview) kube.Ref {
	return kube.Ref{GVK: o.GroupVersionKind(), Namespace: o.Namespace, Name: o.Name}
}

const partOf = "applyset.kubernetes.io/part-of"

// comesTrue holds what an apply has done to every object against what was foreseen.
func (w *world) comesTrue(
	foreseen engine.ClusterPreview, status placement.ClusterStatus, before map[manifest.Key]*unstructured.Unstructured, wanted []*unstructured.Unstructured,
) {
	w.Helper()
	for _, o := range foreseen.Objects {
		was, is := before[o.Key()], w.get(refOfObject(o))
		failure, failed := failureOf(status, o.Key())
		switch o.Action {
		case engine.ActionCreate, engine.ActionTakeOver, engine.ActionUpdate, engine.ActionNone:
			if failed {
				w.Errorf("%s: foreseen was %s, and it fails: %s: %s", o.Identifier, o.Action, failure.Reason, failure.Message)
			}
		case engine.ActionRefuse:
			if failure.Type != placement.Applied || failure.Reason != o.Reason || failure.Message != o.Message {
				w.Errorf("%s: foreseen was %s %q, and it is %+v", o.Identifier, o.Reason, o.Message, failure)
			}
		case engine.ActionReport:
			if failed != (o.Reason == takeover.ReasonFailedToReportDiff) || failed && (failure.Type != placement.DiffReported ||
				failure.Reason != o.Reason || failure.Message != o.Message) {
				w.Errorf("%s: foreseen was %s %q, and it is %+v", o.Identifier, o.Reason, o.Message, failure)
			}
		}
		switch o.Action {
		case engine.ActionCreate, engine.ActionTakeOver, engine.ActionUpdate:
			w.placed(o, is, wanted)
		case engine.ActionDelete:
			if is != nil {
				w.Errorf("%s is there still", o.Identifier)
			}
		case engine.ActionRelease:
			if is == nil || is.GetLabels()[partOf] != "" {
				w.Errorf("%s was not released: %v", o.Identifier, is)
			}
		default:
			if version(was) != version(is) {
				w.Errorf("%s: foreseen was %s, and it was written", o.Identifier, o.Action)
			}
		}
		if diff := cmp.Diff(o.ObservedDiffs, diffsOf(status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
			w.Errorf("%s: diffs (-foreseen +status):\n%s", o.Identifier, diff)
		}
		if diff := cmp.Diff(o.ObservedDrifts, driftsOf(status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
			w.Errorf("%s: drifts (-foreseen +status):\n%s", o.Identifier, diff)
		}
	}
}

// placed fails the test if an object is not as it is to be placed.
func (w *world) placed(o engine.ObjectPreview, is *unstructured.Unstructured, all []*unstructured.Unstructured) {
	w.Helper()
	if is == nil {
		w.Errorf("%s is not there", o.Identifier)
		return
	}
	if is.GetLabels()[partOf] == "" {
		w.Errorf("%s is not marked", o.Identifier)
	}
	for _, wanted := range all {
		if wanted.GetKind() != o.Kind || wanted.GetName() != o.Name {
			continue
		}
		if differences := diff.Partial(wanted, is).Differences; len(differences) > 0 {
			w.Errorf("%s is not as it was placed: %+v", o.Identifier, differences)
		}
	}
}

func version(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	return string(u.GetUID()) + "@" + u.GetResourceVersion()
}

// failureOf is why an object is not applied, or not reported. One that is not available yet is applied.
func failureOf(status placement.ClusterStatus, key manifest.Key) (placement.Condition, bool) {
	for _, failed := range status.FailedPlacements {
		if failed.Key() == key && failed.Condition.Type != placement.Available {
			return failed.Condition, true
		}
	}
	return placement.Condition{}, false
}

func diffsOf(status placement.ClusterStatus, key manifest.Key) []placement.PatchDetail {
	for _, diffed := range status.DiffedPlacements {
		if diffed.Key() == key {
			return diffed.ObservedDiffs
		}
	}
	return nil
}

func driftsOf(status placement.ClusterStatus, key manifest.Key) []placement.PatchDetail {
	for _, drifted := range status.DriftedPlacements {
		if drifted.Key() == key {
			return drifted.ObservedDrifts
		}
	}
	return nil
}
