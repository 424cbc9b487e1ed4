package acctest

import (
	"cmp"
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A change of the placement type is made in place: a database, its claim and its Service stay on every cluster that is still picked.
func TestPlacementTypeChange(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	configuration := func(policy string) string { return database("retyped", "retyped", policy, "") }
	const all = `placement_type = "PickAll"`
	w := fleet.Open(t, fleet.Newest(t), "", configuration(all))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	before := map[string]map[string]string{}
	for _, name := range fleet.Env.Members {
		before[name] = databaseUIDs(t, name, "retyped")
	}
	for _, step := range []struct {
		policy string
		on     []string
		plan   string
	}{
		{`placement_type = "PickN", number_of_clusters = 3`, []string{"member-1", "member-2", "member-3"}, "No object changes."},
		{`placement_type = "PickFixed", cluster_names = ["member-1", "member-2"]`, []string{"member-1", "member-2"}, "DELETED on member-3; no longer placed there: Service default/retyped, StatefulSet default/retyped"},
		{all, []string{"member-1", "member-2"}, "2 to create on member-3"},
		{`placement_type = "PickN", number_of_clusters = 2`, nil, "2 to DELETE"},
	} {
		harness.Rewrite(t, w, configuration(step.policy))
		out := must(t, w, "plan", "-out=saved")
		contains(t, out, "will be updated in-place", step.plan)
		if strings.Contains(out, "REPLACED") {
			t.Errorf("%s replaces the placement:\n%s", step.policy, out)
		}
		must(t, w, "apply", "saved")
		contains(t, must(t, w, "plan"), "No changes.")
		for _, name := range step.on {
			if after := databaseUIDs(t, name, "retyped"); !maps.Equal(before[name], after) {
				t.Errorf("%s: UIDs on %s were %v, now %v", step.policy, name, before[name], after)
			}
		}
	}
}

// database returns the configuration of a placement with a database, its claim and its Service.
func database(name, placement, policy, lifecycle string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + strings.NewReplacer("$placement", placement, "$name", name, "$policy", policy, "$lifecycle", lifecycle).Replace(`
resource "fleet_crp" "p" {
  name      = "$placement"
  policy    = { $policy }
  manifests = { "all.yaml" = <<-EOT
    {apiVersion: v1, kind: Service, metadata: {name: $name, namespace: default}, spec: {clusterIP: None, selector: {app: $name}}}
    ---
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: $name, namespace: default}
    spec:
      serviceName: $name
      selector: {matchLabels: {app: $name}}
      template:
        metadata: {labels: {app: $name}}
        spec: {containers: [{name: db, image: db, volumeMounts: [{name: disk, mountPath: /data}]}]}
      volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
  EOT
  }
  wait = { until = "Applied" }
  lifecycle {
    $lifecycle
  }
}
`)
}

// databaseUIDs waits until a database's objects exist on a cluster, and returns their UIDs.
func databaseUIDs(t *testing.T, cluster, database string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, object := range [][2]string{{"v1", "Service"}, {"apps/v1", "StatefulSet"}, {"v1", "Pod"}, {"v1", "PersistentVolumeClaim"}} {
		name := map[string]string{"Pod": database + "-0", "PersistentVolumeClaim": "disk-" + database + "-0"}[object[1]]
		harness.Await(t, object[1]+" of the database on "+cluster, func() bool {
			u, err := fleet.On(t, cluster).Get(t.Context(), object[0], object[1], "default", cmp.Or(name, database))
			if err != nil {
				t.Fatal(err)
			}
			if u != nil {
				out[object[1]] = string(u.GetUID())
			}
			return u != nil
		})
	}
	return out
}
