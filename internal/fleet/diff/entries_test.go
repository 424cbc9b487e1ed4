package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func withEntry(fields map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": []any{map[string]any{
		"manager": "me", "operation": "Apply", "subresource": "status", "time": "2026-01-01T00:00:00Z", "fieldsV1": fields,
	}}}}}
}

// TestEntries checks the paths of an entry: the innermost fields, without the values of sets.
func TestEntries(t *testing.T) {
	t.Parallel()
	none := map[string]any{}
	got := Entries(withEntry(map[string]any{
		"f:metadata": map[string]any{
			"f:labels":     map[string]any{".": none, "f:example.org/team": none},
			"f:finalizers": map[string]any{".": none, `v:"secret-value"`: none},
		},
		"f:spec": map[string]any{
			"f:replicas": none,
			"f:containers": map[string]any{
				`k:{"name":"web"}`: map[string]any{".": none, "f:image": none, "f:ports": map[string]any{
					`k:{"containerPort":80,"protocol":"TCP"}`: map[string]any{".": none},
				}},
			},
			"f:list":                map[string]any{"i:1": map[string]any{"f:a": none}},
			"x:unknown":             none,
			"k:not JSON":            none,
			"f:line\nbreak":         none,
			`f:forged" = "injected`: none,
		},
	}))
	want := []Entry{{
		Manager: Manager{Name: "me", Operation: "Apply", Subresource: "status"}, Time: "2026-01-01T00:00:00Z",
		Fields: []string{
			"metadata.finalizers", `metadata.labels["example.org/team"]`, "spec.containers[name=web].image",
			"spec.containers[name=web].ports[containerPort=80,protocol=TCP]", "spec.list[1].a", "spec.replicas",
			`spec["forged\" = \"injected"]`, `spec["line\nbreak"]`,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEntriesAreBounded(t *testing.T) {
	t.Parallel()
	fields := map[string]any{}
	for i := range maxFields + 7 {
		fields[fmt.Sprintf("f:field%d", i)] = map[string]any{}
	}
	if got := Entries(withEntry(fields)); len(got[0].Fields) != maxFields || got[0].More != 7 {
		t.Errorf("%d fields and %d more", len(got[0].Fields), got[0].More)
	}
	deep := map[string]any{}
	for range 50 {
		deep = map[string]any{"f:a": deep}
	}
	if got := Entries(withEntry(deep)); len(got[0].Fields) != 1 || strings.Count(got[0].Fields[0], "a") != 50 {
		t.Errorf("%v", got)
	}
	if got := Entries(&unstructured.Unstructured{Object: map[string]any{}}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
