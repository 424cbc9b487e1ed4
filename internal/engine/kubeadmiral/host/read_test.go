package host

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Reasons returns an event about a cluster for that cluster, without the parts that the status already has. It omits the warning about a taken-over object.
func TestEvents(t *testing.T) {
	t.Parallel()
	it := manifest.Key{Kind: "ConfigMap", Namespace: "a", Name: "it"}
	const begin = `Failed to update /v1, Resource=configmaps "a/it" in cluster `
	for message, want := range map[string]map[string]string{
		begin + `"member-1": ConfigMap "it" is invalid: in cluster "x": no`: {"member-1": `ConfigMap "it" is invalid: in cluster "x": no`},
		begin + `"member-10": no`: {"member-10": "no"},
		begin + `"member-1": An update will be attempted instead of a creation due to an existing resource`: nil,
		"no scheduling policy": {"": "no scheduling policy"},
	} {
		out, when := map[manifest.Key]map[string]string{}, map[manifest.Key]map[string]string{}
		noteEvent(&unstructured.Unstructured{Object: map[string]any{
			"type": "Warning", "message": message, "involvedObject": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "a", "name": "it"},
		}}, []string{"member-1", "member-10"}, out, when)
		if len(out[it]) != len(want) {
			t.Errorf("%s: %v, want %v", message, out[it], want)
		}
		for cluster, text := range want {
			if out[it][cluster] != text {
				t.Errorf("%s: %q, want %q", message, out[it][cluster], text)
			}
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`cluster "s": no`: true, "s": true, "process s": true, "it is in process": false, "process": false, "s-s": false, "ss s": true, "": false,
	} {
		if got := names(text, "s"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
