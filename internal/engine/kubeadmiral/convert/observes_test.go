package convert_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
)

// TestObserves checks when a FederatedObject is up to date with the object on the host. For kinds without a generation, the content decides.
func TestObserves(t *testing.T) {
	t.Parallel()
	const head = `"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "it"`
	for name, c := range map[string]struct {
		template, stored string
		want             bool
	}{
		"equal":         {`{` + head + `}, "data": {"a": "1"}}`, `{` + head + `, "resourceVersion": "5"}, "data": {"a": "1"}}`, true},
		"changed":       {`{` + head + `}, "data": {"a": "1"}}`, `{` + head + `}, "data": {"a": "2"}}`, false},
		"added field":   {`{` + head + `}, "data": {"a": "1"}}`, `{` + head + `}, "data": {"a": "1"}, "immutable": true}`, false},
		"removed field": {`{` + head + `}, "data": {"a": "1"}, "binaryData": {"b": "MQ=="}}`, `{` + head + `}, "data": {"a": "1"}}`, false},
		"status":        {`{` + head + `}, "data": {"a": "1"}}`, `{` + head + `}, "data": {"a": "1"}, "status": {"phase": "x"}}`, true},
		"older generation": {
			`{` + head + `, "generation": 1}, "spec": {"a": "1"}}`, `{` + head + `, "generation": 2}, "spec": {"a": "1"}}`, false,
		},
		"same generation": {`{` + head + `, "generation": 2}}`, `{` + head + `, "generation": 2}}`, true},
		"no template":     {``, `{` + head + `}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored := &unstructured.Unstructured{}
			if err := stored.UnmarshalJSON([]byte(c.stored)); err != nil {
				t.Fatal(err)
			}
			var f convert.Federated
			f.Spec.Template.Raw = []byte(c.template)
			if got := f.Observes(stored); got != c.want {
				t.Errorf("Observes is %t, want %t", got, c.want)
			}
		})
	}
}
