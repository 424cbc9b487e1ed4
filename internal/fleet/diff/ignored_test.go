package diff

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestIgnoredDifferences checks that labels, annotations and finalizers that KubeFleet's comparison ignores are listed without counting as differences.
func TestIgnoredDifferences(t *testing.T) {
	t.Parallel()
	object := func(metadata string) *unstructured.Unstructured {
		out := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte("{apiVersion: example.org/v1, kind: Thing, metadata: {"+metadata+"}}"), &out.Object); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const enforce = `metadata.labels["pod-security.kubernetes.io/enforce"]`
	for name, c := range map[string]struct {
		desired, live string
		// partial and written are the fields that Partial and Written list.
		partial, written []string
	}{
		"equal":       {"labels: {app.kubernetes.io/name: a}", "labels: {app.kubernetes.io/name: a}", nil, nil},
		"a label":     {"labels: {pod-security.kubernetes.io/enforce: a}", "labels: {pod-security.kubernetes.io/enforce: b}", []string{enforce}, []string{enforce}},
		"a new one":   {"labels: {pod-security.kubernetes.io/enforce: a}", "", []string{enforce}, []string{enforce}},
		"of others":   {"", "labels: {pod-security.kubernetes.io/enforce: b}", nil, []string{enforce}},
		"maintained":  {"labels: {applyset.kubernetes.io/part-of: a}", "annotations: {deployment.kubernetes.io/revision: '2', kubectl.kubernetes.io/last-applied-configuration: b}", nil, nil},
		"KubeFleet's": {"", "annotations: {kubernetes-fleet.io/spec-hash: a}", nil, nil},
		"a finalizer": {"finalizers: [example.org/a, example.org/b]", "finalizers: [example.org/c, example.org/b]", []string{`metadata.finalizers[example.org/a]`},
			[]string{`metadata.finalizers[example.org/a]`, `metadata.finalizers[example.org/c]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			desired, live := object(c.desired), object(c.live)
			for what, got := range map[string]*Comparison{"Full": Full(nil, desired, live), "Partial": Partial(nil, desired, live)} {
				if got.Differs() || len(got.Patches) > 0 {
					t.Errorf("%s differs: %v", what, got)
				}
				if diff := cmp.Diff(c.partial, fieldsOf(got.All())); diff != "" {
					t.Errorf("%s:\n%s", what, diff)
				}
			}
			if diff := cmp.Diff(c.written, fieldsOf(Written(nil, desired, live).All())); diff != "" {
				t.Errorf("Written:\n%s", diff)
			}
			if Same(desired, live) != (len(c.written) == 0) {
				t.Errorf("Same is %t", Same(desired, live))
			}
			isFinalizer := slices.ContainsFunc(c.written, func(field string) bool { return field == `metadata.finalizers[example.org/a]` })
			if isSame := Hash(desired) == Hash(live); isSame != (len(c.written) == 0 || isFinalizer) {
				t.Errorf("the hashes are the same: %t", isSame)
			}
		})
	}
}

func fieldsOf(differences []Difference) []string {
	var out []string
	for _, d := range differences {
		out = append(out, d.Field)
	}
	return out
}
