package memberpreview_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// putEverything creates objects on the member, one for each situation that a preview distinguishes. It returns the objects to place: the same ConfigMaps with
// the value 1, and objects that the member does not have.
func (w *world) putEverything() []*unstructured.Unstructured {
	w.t.Helper()
	w.put(w.configMap("equal", "1"))
	w.put(w.configMap("different", "2"))
	w.putOwned("web", w.configMap("ours", "1"))
	w.putOwned("web", w.configMap("outdated", "0"))
	w.putOwned("web", w.configMap("changed", "1"))
	w.put(w.configMap("changed", "3"))
	w.putOwned("shop", w.configMap("others", "1"))
	w.putDeleting(w.configMap("leaving", "2"))
	out := []*unstructured.Unstructured{
		w.parse("{apiVersion: v1, kind: Namespace, metadata: {name: brought}}"),
		w.parse("{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: brought}}"),
		w.parse("{apiVersion: example.org/v1, kind: Widget, metadata: {name: unserved, namespace: default}}"),
		w.parse("{apiVersion: v1, kind: ConfigMap, metadata: {name: homeless}}"),
	}
	for _, name := range []string{"absent", "equal", "different", "ours", "outdated", "changed", "others", "leaving"} {
		out = append(out, w.configMap(name, "1"))
	}
	return out
}

// applyStrategy returns a strategy that takes over and writes every object, with a change.
func applyStrategy(change func(*placement.ApplyStrategy)) placement.ApplyStrategy {
	out := *placement.Spec{}.Defaulted().Strategy.ApplyStrategy
	out.Type, out.WhenToTakeOver = placement.ServerSideApply, placement.TakeOverAlways
	if change != nil {
		change(&out)
	}
	return out
}

// wantExcept returns the summaries of a preview under applyStrategy(nil), in which exceptions replace summaries by the name of the object.
func wantExcept(exceptions map[string]string) map[string]string {
	out := map[string]string{
		"absent": "create", "brought": "create", "inside": "create", "homeless": "reject not_served", "unserved": "reject not_served",
		"ours": "none", "outdated": "update /data/value", "changed": "update /data/value",
		"equal": "take_over", "different": "take_over /data/value", "others": "leave_alone foreign_owner", "leaving": "reject being_deleted",
	}
	maps.Copy(out, exceptions)
	return out
}

type previewTest struct {
	// context is the kubeconfig context; empty selects credentials that may write.
	context    string
	strategy   placement.ApplyStrategy
	wantMethod engine.CheckMethod
	want       map[string]string
	dryRuns    []string
}

func previewTests() map[string]previewTest {
	differs := map[string]string{
		"different": "leave_alone differences /data/value diffs:1", "leaving": "leave_alone differences /data/value diffs:1",
	}
	return map[string]previewTest{
		"Always": {
			strategy: applyStrategy(nil), wantMethod: engine.CheckDryRun, want: wantExcept(nil),
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"Never": {
			strategy: applyStrategy(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverNever }), wantMethod: engine.CheckDryRun,
			want: wantExcept(map[string]string{
				"equal": "leave_alone mode", "different": "leave_alone mode /data/value", "others": "leave_alone mode",
				"leaving": "leave_alone mode /data/value",
			}),
			dryRuns: []string{
				"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces",
			},
		},
		"IfNoDiff": {
			strategy:   applyStrategy(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverIfNoDiff }),
			wantMethod: engine.CheckDryRun, want: wantExcept(differs),
			dryRuns: []string{
				"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces",
			},
		},
		"IfNoDiff, in full": {
			strategy: applyStrategy(func(s *placement.ApplyStrategy) {
				s.WhenToTakeOver, s.ComparisonOption = placement.TakeOverIfNoDiff, placement.FullComparison
			}),
			wantMethod: engine.CheckDryRun, want: wantExcept(differs),
			dryRuns: []string{"PATCH changed", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"IfNotDrifted": {
			strategy: applyStrategy(func(s *placement.ApplyStrategy) { s.WhenToApply = placement.ApplyIfNotDrifted }), wantMethod: engine.CheckDryRun,
			want:    wantExcept(map[string]string{"changed": "leave_drifted differences /data/value drifts:1"}),
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"ReportDiff": {
			strategy: applyStrategy(func(s *placement.ApplyStrategy) {
				s.Type, s.WhenToTakeOver = placement.ReportDiff, placement.TakeOverIfNoDiff
			}),
			wantMethod: engine.CheckDryRun,
			want: map[string]string{
				"absent": "report / diffs:1", "brought": "report / diffs:1", "inside": "report / diffs:1",
				"homeless": "report not_served", "unserved": "report not_served",
				"ours": "report", "outdated": "report /data/value diffs:1", "changed": "report /data/value diffs:1", "equal": "report",
				"different": "report differences /data/value", "others": "report foreign_owner", "leaving": "report differences /data/value",
			},
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated"},
		},
		"read only": {
			context: "readonly", wantMethod: engine.CheckReadOnly, dryRuns: []string{},
			strategy: applyStrategy(func(s *placement.ApplyStrategy) {
				s.WhenToTakeOver, s.WhenToApply = placement.TakeOverIfNoDiff, placement.ApplyIfNotDrifted
			}),
			want: wantExcept(map[string]string{
				"different": "leave_alone differences /data/value", "leaving": "leave_alone differences /data/value",
				"changed": "leave_drifted differences /data/value",
			}),
		},
	}
}

func TestPreviewOfASecondEngine(t *testing.T) {
	w := newWorld(t)
	contents := w.putEverything()
	for name, tt := range previewTests() {
		t.Run(name, func(t *testing.T) {
			w.Reset()
			context := env.Members[0]
			if tt.context == "readonly" {
				context = clusters.Readonly(context)
			}
			preview, err := w.engine(context).preview(t.Context(), tt.strategy, nil, contents...)
			if err != nil {
				t.Fatal(err)
			}
			if preview.CheckMethod != tt.wantMethod {
				t.Errorf("CheckMethod is %s, want %s", preview.CheckMethod, tt.wantMethod)
			}
			if diff := cmp.Diff(tt.want, summarize(preview)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.dryRuns, w.dryRuns()); diff != "" {
				t.Errorf("dry runs: %s", diff)
			}
			for _, o := range preview.Objects {
				if (o.Obstacle == "") != (o.Problem == "") || strings.HasPrefix(o.Problem, "Failed to apply") {
					t.Errorf("%s: obstacle %q, problem %q", o.Name, o.Obstacle, o.Problem)
				}
			}
		})
	}
}

// TestPreviewOfWhatWasNotAgreedTo checks that an object remains unchanged if it differs from the object in the agreed preview. The preview still shows the
// differences.
func TestPreviewOfWhatWasNotAgreedTo(t *testing.T) {
	w := newWorld(t)
	e := w.engine(env.Members[0])
	w.put(w.configMap("agreed", "2"))
	w.put(w.configMap("moved", "2"))
	contents := []*unstructured.Unstructured{w.configMap("agreed", "1"), w.configMap("moved", "1"), w.configMap("appeared", "1")}
	before, err := e.preview(t.Context(), applyStrategy(nil), nil, contents...)
	if err != nil {
		t.Fatal(err)
	}
	w.put(w.configMap("moved", "3"))
	w.put(w.configMap("appeared", "1"))
	w.Reset()
	after, err := e.preview(t.Context(), applyStrategy(nil), engine.Expect(&engine.Preview{Clusters: []engine.ClusterPreview{before}}), contents...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"agreed": "take_over /data/value", "moved": "leave_alone not_agreed /data/value", "appeared": "leave_alone not_agreed",
	}
	if diff := cmp.Diff(want, summarize(after)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"PATCH agreed", "PATCH moved"}, w.dryRuns()); diff != "" {
		t.Errorf("dry runs: %s", diff)
	}
}

// TestPreviewOfWhatIsRefused checks that a preview shows a rejected dry run as the apply will report it, although the credentials allow the write. The preview
// checks each permission again once, and not once for every object.
func TestPreviewOfWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("one", "2"))
	w.put(w.configMap("two", "2"))
	var contents []*unstructured.Unstructured
	for _, name := range []string{"one", "two", "three", "four"} {
		contents = append(contents, w.configMap(name, "1"))
	}
	previewAll := func() (found map[string]string, reviews int) {
		w.Reset()
		preview, err := w.engine(env.Members[0]).preview(t.Context(), applyStrategy(nil), nil, contents...)
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range w.Requests() {
			if strings.HasSuffix(request.Path, "/selfsubjectaccessreviews") {
				reviews++
			}
		}
		return summarize(preview), reviews
	}
	_, before := previewAll()
	remove := w.Inject(clusters.Fault{Match: func(r clusters.Request) bool { return r.DryRun }, Status: http.StatusForbidden})
	defer remove()
	got, after := previewAll()
	want := map[string]string{
		"one": "reject admission /data/value", "two": "reject admission /data/value", "three": "reject admission", "four": "reject admission",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if after != before+2 { // to create and to patch
		t.Errorf("%d access reviews without rejections, %d with rejections", before, after)
	}
}

// TestPreviewAfterALostRight checks that a preview shows objects as not dry-run if the credentials have lost the right to write them since it was checked.
func TestPreviewAfterALostRight(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("different", "2"))
	w.putOwned("web", w.configMap("outdated", "0"))
	defer w.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool { return strings.HasSuffix(r.Path, "/selfsubjectrulesreviews") }, Times: 1,
		Answer: func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(response, `{"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
				"status": {"nonResourceRules": [], "incomplete": false, "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]}}`)
		},
	})()
	e := w.engine(clusters.Readonly(env.Members[0]))
	preview, err := e.preview(t.Context(), applyStrategy(nil), nil, w.configMap("different", "1"), w.configMap("outdated", "1"), w.configMap("absent", "1"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"different": "take_over /data/value", "outdated": "update /data/value", "absent": "create"}
	if diff := cmp.Diff(want, summarize(preview)); diff != "" {
		t.Error(diff)
	}
	if preview.CheckMethod != engine.CheckReadOnly {
		t.Errorf("the check method is %s", preview.CheckMethod)
	}
	for _, object := range preview.Objects {
		if object.Untried != engine.UntriedPermission {
			t.Errorf("%s: %q", object.Name, object.Untried)
		}
	}
}

// TestPreviewUnderAnAdmissionPolicy checks that an object without differences needs no dry run, unless an admission rule may match.
func TestPreviewUnderAnAdmissionPolicy(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("equal", "1"))
	ifNoDiff := applyStrategy(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverIfNoDiff })
	previewEqual := func(strategy placement.ApplyStrategy, dryRuns ...string) {
		t.Helper()
		w.Reset()
		preview, err := w.engine(env.Members[0]).preview(t.Context(), strategy, nil, w.configMap("equal", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"equal": "take_over"}, summarize(preview)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(append([]string{}, dryRuns...), w.dryRuns()); diff != "" {
			t.Errorf("dry runs: %s", diff)
		}
	}
	previewEqual(applyStrategy(nil))
	previewEqual(ifNoDiff)
	w.put(w.parse(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: opinion}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
  validations: [{expression: "true"}]
`))
	previewEqual(applyStrategy(nil), "PATCH equal")
	previewEqual(ifNoDiff, "PATCH equal", "PATCH equal") // for the comparison and for the takeover
}

// TestPreviewOfAMemberThatStopsAnswering checks that a preview fails as a whole if the member becomes unreachable in the meantime.
func TestPreviewOfAMemberThatStopsAnswering(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("different", "2"))
	defer w.Inject(clusters.Fault{Match: func(r clusters.Request) bool { return r.DryRun }, Refuse: true})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applyStrategy(nil), nil, w.configMap("different", "1"), w.configMap("absent", "1"))
	if _, unreachable := errors.AsType[*engine.UnreachableError](err); !unreachable || len(preview.Objects) > 0 {
		t.Errorf("got %v and %v", err, summarize(preview))
	}
}
