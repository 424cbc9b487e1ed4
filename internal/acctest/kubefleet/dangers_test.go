package kubefleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// work is a namespace with objects that hubs handle unexpectedly.
const work = `
{apiVersion: v1, kind: Namespace, metadata: {name: $ns-work}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: closed, namespace: $ns-work, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: $ns-work}, spec: {ports: [{port: 80}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: $ns-work}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: $ns-work}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: once, image: once}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: data, namespace: $ns-work}
spec:
  replicas: 0
  serviceName: data
  selector: {matchLabels: {app: data}}
  template: {metadata: {labels: {app: data}}, spec: {containers: [{name: data, image: data}]}}
  volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk-data-0, namespace: $ns-work}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

// danger is a placement with unexpected effects, and the warnings of its plan by attribute.
type danger struct {
	name, strategy string
	says           map[string]string
}

var dangers = []danger{
	{"reports", `apply_strategy = { type = "ReportDiff" }`, map[string]string{
		"the report takes ownership": `Set when_to_take_over = "Never"`,
	}},
	{"server-side", `apply_strategy = { type = "ServerSideApply" }`, map[string]string{
		"the first change of a workload will fail": "Write server_side_apply_config = { force = true }",
	}},
	{"always", "", map[string]string{
		"the placement takes over a pre-existing Namespace": `With when_to_take_over = "Never", the Namespace is not taken over`,
		"an autoscaler is overruled":                        "Put the object into an envelope, in which replicas can be omitted.",
		"an envelope stays closed":                          "fleet_envelope_configmap writes them",
		"volume claims of the hub are placed":               "so that the hub does not run it",
	}},
	{"compares", `apply_strategy = { when_to_take_over = "IfNoDiff", comparison_option = "FullComparison" }`, map[string]string{
		"an equal Job is not taken over": "Put the Job into an envelope.",
		"a Service always differs":       "Use PartialComparison.",
	}},
}

// inert are attributes that a hub accepts but ignores.
const inert = `
    report_back_strategy = { type = "Mirror", destination = "OriginalResource" }
    rolling_update       = { unavailable_period_seconds = 5 }`

// Unexpected behavior of a hub is a warning at the attribute that causes it, with advice.
func TestDangers(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "dangers")
	w.Put("hub", work)
	w.Put("member-1", w.Expand("{apiVersion: v1, kind: Namespace, metadata: {name: $ns-work}}\n---\n"+
		strings.Split(work, "\n---\n")[3]))
	w.EditAs("member-1", "kube-controller-manager", "scale", "apps/v1 Deployment $ns-work/web", "{spec: {replicas: 3}}")

	placement := func(name, strategy string) string {
		return fmt.Sprintf(`
resource "fleet_crp" %q {
  name               = "$ns-%s"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-work" }]
  strategy = {
    %s
  }
}
`, name, name, strategy)
	}
	text := provider(env.Kubeconfig)
	for _, d := range dangers {
		text += placement(d.name, d.strategy)
	}
	out := must(t, newWorkspace(t, w.Expand(text+placement("inert", inert))), "plan")
	for _, d := range dangers {
		for title, remedy := range d.says {
			contains(t, out, w.Expand(fmt.Sprintf("Placement \"$ns-%s\": %s", d.name, title)), remedy)
		}
	}
	contains(t, out, "Without effect in this engine: strategy.report_back_strategy.type",
		"Without effect in this engine: strategy.rolling_update.unavailable_period_seconds")
}
