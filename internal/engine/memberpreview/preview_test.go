package memberpreview_test

import (
	"errors"
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

// everything puts one object of every sort on the member, and returns what is to be placed there: the value 1 of each.
func (w *world) everything() []*unstructured.Unstructured {
	w.t.Helper()
	w.put(w.configMap("equal", "1"))
	w.put(w.configMap("different", "2"))
	w.placed("web", w.configMap("ours", "1"))
	w.placed("web", w.configMap("outdated", "0"))
	w.placed("web", w.configMap("changed", "1"))
	w.put(w.configMap("changed", "3"))
	w.placed("shop", w.configMap("others", "1"))
	w.leave(w.configMap("leaving", "2"))
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

// applying is a strategy that takes over and writes whatever it finds, but for the change.
func applying(change func(*placement.ApplyStrategy)) placement.ApplyStrategy {
	out := *placement.Spec{}.Defaulted().Strategy.ApplyStrategy
	out.Type, out.WhenToTakeOver = placement.ServerSideApply, placement.TakeOverAlways
	if change != nil {
		change(&out)
	}
	return out
}

// but is what is told under applying, with what is told otherwise.
func but(otherwise map[string]string) map[string]string {
	out := map[string]string{
		"absent": "create", "brought": "create", "inside": "create", "homeless": "reject not_served", "unserved": "reject not_served",
		"ours": "none", "outdated": "update /data/value", "changed": "update /data/value",
		"equal": "take_over", "different": "take_over /data/value", "others": "leave_alone foreign_owner", "leaving": "reject being_deleted",
	}
	maps.Copy(out, otherwise)
	return out
}

type previewTest struct {
	// context is the credentials, those that may write if empty.
	context  string
	strategy placement.ApplyStrategy
	look     engine.Look
	want     map[string]string
	dryRuns  []string
}

func previewTests() map[string]previewTest {
	differs := map[string]string{
		"different": "leave_alone differences /data/value diffs:1", "leaving": "leave_alone differences /data/value diffs:1",
	}
	return map[string]previewTest{
		"Always": {
			strategy: applying(nil), look: engine.LookDryRun, want: but(nil),
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"Never": {
			strategy: applying(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverNever }), look: engine.LookDryRun,
			want: but(map[string]string{
				"equal": "leave_alone mode", "different": "leave_alone mode /data/value", "others": "leave_alone mode",
				"leaving": "leave_alone mode /data/value",
			}),
			dryRuns: []string{
				"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces",
			},
		},
		"IfNoDiff": {
			strategy: applying(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverIfNoDiff }),
			look:     engine.LookDryRun, want: but(differs),
			dryRuns: []string{
				"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces",
			},
		},
		"IfNoDiff, in full": {
			strategy: applying(func(s *placement.ApplyStrategy) {
				s.WhenToTakeOver, s.ComparisonOption = placement.TakeOverIfNoDiff, placement.FullComparison
			}),
			look: engine.LookDryRun, want: but(differs),
			dryRuns: []string{"PATCH changed", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"IfNotDrifted": {
			strategy: applying(func(s *placement.ApplyStrategy) { s.WhenToApply = placement.ApplyIfNotDrifted }), look: engine.LookDryRun,
			want:    but(map[string]string{"changed": "leave_drifted differences /data/value drifts:1"}),
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH outdated", "POST configmaps", "POST configmaps", "POST namespaces"},
		},
		"ReportDiff": {
			strategy: applying(func(s *placement.ApplyStrategy) {
				s.Type, s.WhenToTakeOver = placement.ReportDiff, placement.TakeOverIfNoDiff
			}),
			look: engine.LookDryRun,
			want: map[string]string{
				"absent": "report / diffs:1", "brought": "report / diffs:1", "inside": "report / diffs:1",
				"homeless": "report not_served", "unserved": "report not_served",
				"ours": "report", "outdated": "report /data/value diffs:1", "changed": "report /data/value diffs:1", "equal": "report",
				"different": "report differences /data/value", "others": "report foreign_owner", "leaving": "report differences /data/value",
			},
			dryRuns: []string{"PATCH changed", "PATCH different", "PATCH leaving", "PATCH outdated"},
		},
		"read only": {
			context: "readonly", look: engine.LookReadOnly, dryRuns: []string{},
			strategy: applying(func(s *placement.ApplyStrategy) {
				s.WhenToTakeOver, s.WhenToApply = placement.TakeOverIfNoDiff, placement.ApplyIfNotDrifted
			}),
			want: but(map[string]string{
				"different": "leave_alone differences /data/value", "leaving": "leave_alone differences /data/value",
				"changed": "leave_drifted differences /data/value",
			}),
		},
	}
}

func TestPreviewOfASecondEngine(t *testing.T) {
	w := newWorld(t)
	contents := w.everything()
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
			if preview.Look != tt.look {
				t.Errorf("looked at as %s, want %s", preview.Look, tt.look)
			}
			if diff := cmp.Diff(tt.want, told(preview)); diff != "" {
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

// An object that is not as it was agreed to is left, and how it differs now is told all the same.
func TestPreviewOfWhatWasNotAgreedTo(t *testing.T) {
	w := newWorld(t)
	e := w.engine(env.Members[0])
	w.put(w.configMap("agreed", "2"))
	w.put(w.configMap("moved", "2"))
	contents := []*unstructured.Unstructured{w.configMap("agreed", "1"), w.configMap("moved", "1"), w.configMap("appeared", "1")}
	before, err := e.preview(t.Context(), applying(nil), nil, contents...)
	if err != nil {
		t.Fatal(err)
	}
	w.put(w.configMap("moved", "3"))
	w.put(w.configMap("appeared", "1"))
	w.Reset()
	after, err := e.preview(t.Context(), applying(nil), engine.Expect(&engine.Preview{Clusters: []engine.ClusterPreview{before}}), contents...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"agreed": "take_over /data/value", "moved": "leave_alone not_agreed /data/value", "appeared": "leave_alone not_agreed",
	}
	if diff := cmp.Diff(want, told(after)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"PATCH agreed", "PATCH moved"}, w.dryRuns()); diff != "" {
		t.Errorf("dry runs: %s", diff)
	}
}

// What is refused though the credentials may do it is told as the apply will meet it. What they may do is asked for once more for every
// right, and not for every object.
func TestPreviewOfWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("one", "2"))
	w.put(w.configMap("two", "2"))
	var contents []*unstructured.Unstructured
	for _, name := range []string{"one", "two", "three", "four"} {
		contents = append(contents, w.configMap(name, "1"))
	}
	look := func() (found map[string]string, reviews int) {
		w.Reset()
		preview, err := w.engine(env.Members[0]).preview(t.Context(), applying(nil), nil, contents...)
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range w.Requests() {
			if strings.HasSuffix(request.Path, "/selfsubjectaccessreviews") {
				reviews++
			}
		}
		return told(preview), reviews
	}
	_, before := look()
	remove := w.Inject(clusters.Fault{Match: func(r clusters.Request) bool { return r.DryRun }, Status: http.StatusForbidden})
	defer remove()
	got, after := look()
	want := map[string]string{
		"one": "reject admission /data/value", "two": "reject admission /data/value", "three": "reject admission", "four": "reject admission",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if after != before+2 { // to create and to patch
		t.Errorf("%d reviews of access without and %d with refusals", before, after)
	}
}

// An object that is equal costs no dry run, unless an admission rule may have an opinion on it.
func TestPreviewUnderAnAdmissionPolicy(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("equal", "1"))
	ifNoDiff := applying(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = placement.TakeOverIfNoDiff })
	look := func(strategy placement.ApplyStrategy, dryRuns ...string) {
		t.Helper()
		w.Reset()
		preview, err := w.engine(env.Members[0]).preview(t.Context(), strategy, nil, w.configMap("equal", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"equal": "take_over"}, told(preview)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(append([]string{}, dryRuns...), w.dryRuns()); diff != "" {
			t.Errorf("dry runs: %s", diff)
		}
	}
	look(applying(nil))
	look(ifNoDiff)
	w.put(w.parse(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: opinion}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
  validations: [{expression: "true"}]
`))
	look(applying(nil), "PATCH equal")
	look(ifNoDiff, "PATCH equal", "PATCH equal") // the comparison's, and the takeover's
}

// A member that stops answering on the way has no preview, rather than half of one.
func TestPreviewOfAMemberThatStopsAnswering(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("different", "2"))
	defer w.Inject(clusters.Fault{Match: func(r clusters.Request) bool { return r.DryRun }, Refuse: true})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applying(nil), nil, w.configMap("different", "1"), w.configMap("absent", "1"))
	if _, unreachable := errors.AsType[*engine.UnreachableError](err); !unreachable || len(preview.Objects) > 0 {
		t.Errorf("got %v and %v", err, told(preview))
	}
}
