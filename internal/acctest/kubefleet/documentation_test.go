package kubefleet

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// The outputs in this engine's guide are Terraform's outputs, for the guide's first configuration. After a change of wording, run make documented-outputs.
func TestDocumentation(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "shop")
	w.Put("hub", `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {greeting: hello}}
`)
	w.PutAs("member-2", "kubectl-create", `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {greeting: hi}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: orders, namespace: shop}, data: {of: others}}
`)
	await := func(kind, name, condition string) {
		t.Helper()
		w.Eventually(name+" is "+condition, func() bool {
			live := w.Find("hub", kind+" "+name)
			return live != nil && world.IsTrue(live, condition)
		})
	}
	for _, member := range env.Members { // plans mention members that have not joined
		await("cluster.kubernetes-fleet.io/v1beta1 MemberCluster", member, "Joined")
	}
	_, configuration, _ := strings.Cut(documents.Read(t, filepath.Join(documents.Root(t), "templates", "guides", "kubefleet.md")), "```hcl\n")
	configuration, _, found := strings.Cut(configuration, "\n```\n")
	if !found {
		t.Fatal("the guide has no configuration")
	}
	run := newWorkspace(t, configuration)
	show := func(begin string, args ...string) string {
		t.Helper()
		out, err := run.Run(t.Context(), nil, args...)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return documents.Warning(t, out, fmt.Sprintf("Placement %q%s", "shop", begin))
	}
	conflict := show(" (", "plan")
	w.Edit("member-2", "v1 ConfigMap shop/settings", "immutable: true") // so that the API server rejects the change
	w.Put("hub", `
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: tools}, spec: {
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: tools}],
  policy: {placementType: PickFixed, clusterNames: [member-1]},
  strategy: {type: RollingUpdate, applyStrategy: {whenToTakeOver: IfNoDiff}}}}
`)
	await("placement.kubernetes-fleet.io/v1beta1 ClusterResourcePlacement", "tools", "ClusterResourcePlacementAvailable") // until then, the plan has a change
	byHand := newWorkspace(t, provider(env.Kubeconfig)+`
import {
  to = fleet_crp.tools
  id = "tools"
}
resource "fleet_crp" "tools" {
  name               = "tools"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "tools" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  strategy           = { apply_strategy = { when_to_take_over = "IfNoDiff" } }
}
`)
	_, imported, _ := strings.Cut(must(t, byHand, "plan"), "\nPlan: ")
	imported, _, _ = strings.Cut(imported, "\n")
	documents.Show(t, map[string]string{
		"hub import plan":          "Plan: " + imported,
		"hub plan with a conflict": conflict,
		"hub apply that failed":    show(" is not complete", "apply", "-auto-approve", "-var=when_to_take_over=Always"),
		"hub destroy plan":         show(" (", "plan", "-destroy"),
	}, documents.OnHub, *harness.Update)
}
