package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// configureTogether configures a placement with a Namespace and a definition, and two placements with the objects in them. None depends on another.
func configureTogether(name string) (host, guests string) {
	placement := func(suffix string, manifests ...string) string {
		return fmt.Sprintf("\nresource \"fleet_crp\" %q {\n  name      = \"%s-%s\"\n  manifests = { \"all.yaml\" = <<-EOT\n%s\n    EOT\n  }\n"+
			"  policy    = { placement_type = \"PickFixed\", cluster_names = [\"member-1\", \"member-2\"] }\n}\n",
			suffix, name, suffix, strings.ReplaceAll(strings.Join(manifests, "\n---\n"), "NAME", name))
	}
	host = placement("host", "{apiVersion: v1, kind: Namespace, metadata: {name: NAME}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: NAME}}",
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.NAME.example.com}, spec: {group: NAME.example.com, scope: Namespaced,`+
			` names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}, versions: [{name: v1, served: true, storage: true,`+
			` schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`)
	guests = placement("maps", "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: NAME}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: NAME}}") +
		placement("widgets", "{apiVersion: NAME.example.com/v1, kind: Widget, metadata: {name: one, namespace: NAME}}")
	return host, guests
}

// TestDestroyTogether checks that one destroy removes everything. If Terraform removes one placement at a time, a second destroy may be necessary, as the error
// of the first one says.
func TestDestroyTogether(t *testing.T) {
	for name, parallelism := range map[string]string{"together": "-parallelism=10", "one-by-one": "-parallelism=1"} {
		t.Run(name, func(t *testing.T) {
			if name != "together" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			w := fleet.Open(t, fleet.Newest(t), "", "")
			fleet.MustDestroyAtEnd(t, w)
			host, guests := configureTogether(name)
			for _, blocks := range []string{host, host + guests} {
				harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+blocks)
				must(t, w, "apply", "-auto-approve")
			}
			if name == "together" { // the placements that stay configured keep the Namespace
				harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+guests)
				contains(t, must(t, w, "plan"), fmt.Sprintf(`Namespace %s on member-1 and member-2: its deletion would also delete objects of the placement "%s-maps"`, name, name))
				harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+host+guests)
			}
			out, err := w.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color", parallelism)
			switch {
			case err == nil:
			case name == "together":
				t.Fatalf("the destroy failed:\n%s", out)
			default:
				contains(t, out, "Repeat the removal", fmt.Sprintf("Namespace %s", name), "which is not removed yet")
				contains(t, must(t, w, "destroy", "-auto-approve", parallelism), "Destroy complete! Resources: 1 destroyed")
			}
			if name == "together" {
				contains(t, out, "Resources: 3 destroyed", fmt.Sprintf(`Namespace %s (it contains nothing else once placements "%s-maps", "%s-widgets" are removed)`, name, name, name))
			}
			for _, member := range []string{"member-1", "member-2"} {
				fleet.Absent(t, member, "v1", "Namespace", "", name)
				fleet.Absent(t, member, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets."+name+".example.com")
			}
		})
	}
}
