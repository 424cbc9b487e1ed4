package rollout

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

var update = flag.Bool("update", false, "rewrite the tables of the guide")

const guide = "templates/guides/bring-your-manifests.md.tmpl"

// TestDocumentedWaves checks that the guide contains the current order.
func TestDocumentedWaves(t *testing.T) {
	steps := map[int][]string{}
	for resource, wave := range waves {
		steps[wave] = append(steps[wave], "`"+resource+"`")
	}
	var b strings.Builder
	b.WriteString("| step | resources |\n|---|---|\n")
	for _, wave := range slices.Sorted(maps.Keys(steps)) {
		slices.Sort(steps[wave])
		fmt.Fprintf(&b, "| %d | %s |\n", wave+1, strings.Join(steps[wave], ", "))
	}
	fmt.Fprintf(&b, "| %d | all others, mainly custom resources |\n", len(steps)+1)
	documents.Table(t, guide, "waves", b.String(), *update)
}

// documented is the rule of each tracked resource in words.
var documented = map[string]string{
	"deployments":               "The controller has observed the change, all replicas are updated and available, and no other replica is unavailable.",
	"statefulsets":              "The controller has observed the change, and all replicas are available and of the current revision.",
	"daemonsets":                "The controller has observed the change, and every node that should run a Pod runs an available, updated one.",
	"services":                  "`ClusterIP`, `NodePort`: a cluster IP is assigned (`None` counts). `LoadBalancer`: an address is assigned. `ExternalName`: not tracked.",
	"customresourcedefinitions": "The conditions `Established` and `NamesAccepted` are `True`.",
	"poddisruptionbudgets":      "The controller has observed the change and computed the allowed disruptions, which can be zero.",
}

// TestDocumentedAvailability checks that the guide contains the current rules.
func TestDocumentedAvailability(t *testing.T) {
	var tracked, data []string
	for resource, track := range trackers {
		name := "`" + resource.Resource + "`"
		if group := resource.GroupVersion().String(); group != "v1" {
			name += " (`" + group + "`)"
		}
		if track == nil {
			data = append(data, name)
			continue
		}
		text, found := documented[resource.Resource]
		if !found {
			t.Errorf("%s is tracked, and the guide does not say when it is available", resource.Resource)
		}
		tracked = append(tracked, "| "+name+" | "+text+" |\n")
	}
	slices.Sort(tracked)
	slices.Sort(data)
	var b strings.Builder
	b.WriteString("| resource | available when |\n|---|---|\n")
	b.WriteString(strings.Join(tracked, ""))
	fmt.Fprintf(&b, "| %s | The write has succeeded. |\n", strings.Join(data, ", "))
	b.WriteString("| all others: Jobs, CronJobs, autoscalers, Ingresses, PersistentVolumeClaims, webhook configurations, custom resources | Not tracked. |\n")
	documents.Table(t, guide, "availability", b.String(), *update)
}
