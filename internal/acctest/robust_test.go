package acctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

func TestSecondApplyWritesNothing(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	recorder := fleet.Record(t)
	fleet.Put(t, "hub", `
apiVersion: v1
kind: Namespace
metadata: {name: applied-twice}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: applied-twice}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29", resources: {requests: {cpu: 1000m}}}]}
`)
	config := fleet.Provider(recorder.Kubeconfig()) + `
resource "fleet_envelope_configmap" "e" {
  name      = "envelope"
  namespace = "applied-twice"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: applied-twice}, spec: {hard: {cpu: 1000m}}}" }
}
resource "fleet_crp" "p" {
  name               = "applied-twice"
  resource_selectors = fleet_envelope_configmap.e.resource_selectors
}
`
	w := fleet.Open(t, binary, "", config)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "ResourceQuota", "applied-twice", "q", 1, "spec", "hard", "cpu")
	recorder.Reset()
	contains(t, must(t, w, "apply", "-auto-approve"), "No changes.")
	if writes := recorder.Writes(); len(writes) > 0 {
		t.Errorf("the second apply wrote: %v", writes)
	}
	if len(recorder.Requests()) == 0 {
		t.Error("the recorder saw no requests")
	}
}

// If the provider is killed during an apply, Terraform has no state of the placement. After an import, the next apply knows all objects that exist.
func TestKilledApply(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	recorder := fleet.Record(t)
	const objects = 30
	w := fleet.Open(t, binary, "", fleet.ManyConfigMaps(recorder.Kubeconfig(), "killed", objects))
	fleet.DestroyAtEnd(t, w)
	remove := recorder.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		return r.Write() && strings.Contains(r.Path, "/namespaces/killed/configmaps")
	}, Delay: 300 * time.Millisecond})

	apply := w.Command(t.Context(), "apply", "-auto-approve", "-no-color")
	var out bytes.Buffer
	apply.Stdout, apply.Stderr = &out, &out
	if err := apply.Start(); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, "the first ConfigMaps", func() bool {
		found, err := fleet.On(t, "member-2").List(t.Context(), "v1", "ConfigMap", "killed", "applyset.kubernetes.io/part-of")
		return err == nil && len(found) > 2
	})
	provider, err := os.FindProcess(harness.ProviderOf(t, apply.Process.Pid))
	if err == nil {
		err = provider.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := apply.Wait(); err == nil {
		t.Fatalf("the apply succeeded although its provider was killed:\n%s", out.String())
	}
	remove()
	left, err := fleet.On(t, "member-2").List(t.Context(), "v1", "ConfigMap", "killed", "applyset.kubernetes.io/part-of")
	if err != nil || len(left) == objects {
		t.Fatalf("killed too late: %d objects, %v", len(left), err)
	}

	refused, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Error("the plan of a create accepted an unknown existing placement")
	}
	contains(t, refused, "exists already", "Import it", "has not finished")
	must(t, w, "import", "fleet_crp.p", "killed")
	must(t, w, "apply", "-auto-approve")
	for i := range 3 {
		member := fmt.Sprintf("member-%d", i+1)
		for n := range objects {
			fleet.Check(t, member, "v1", "ConfigMap", "killed", fmt.Sprintf("c%02d", n), n, "data", "number")
		}
		entries := inventoryOf(t, member, "killed")
		if len(entries) != objects+1 {
			t.Errorf("%s: the inventory has %d objects", member, len(entries))
		}
		for _, entry := range entries {
			if entry.UID == "" || entry.Hash == "" || entry.Adopted {
				t.Errorf("%s: the inventory has %+v, want UID and hash of a created object", member, entry)
			}
		}
	}
	contains(t, must(t, w, "plan"), "No changes.")
	must(t, w, "destroy", "-auto-approve")
	for i := range 3 {
		fleet.Absent(t, fmt.Sprintf("member-%d", i+1), "v1", "Namespace", "", "killed")
	}
}

type entry struct {
	Kind, Name, UID, Hash string
	Adopted               bool
}

func inventoryOf(t *testing.T, cluster, placement string) []entry {
	t.Helper()
	u, err := fleet.On(t, cluster).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-"+placement)
	if err != nil || u == nil {
		t.Fatalf("%s: read the inventory: %v", cluster, err)
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "objects.json")
	var out []entry
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A plan works with read-only credentials.
func TestReadOnlyPlan(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	config := fleet.ManyConfigMaps(fleet.Env.Kubeconfig, "readonly", 2)
	w := fleet.Open(t, binary, "", config)
	fleet.DestroyAtEnd(t, w)
	checkWarnings(t, must(t, w, "apply", "-auto-approve"), 0) // a warning would name a cluster that was not written
	readonly := config
	for _, context := range fleet.Env.Contexts() {
		if !fleet.Env.Has(clusters.Readonly(context)) {
			t.Skip("these clusters have no read-only user")
		}
		readonly = strings.ReplaceAll(readonly, fmt.Sprintf("config_context = %q", context), fmt.Sprintf("config_context = %q", clusters.Readonly(context)))
	}
	harness.Rewrite(t, w, readonly)
	contains(t, must(t, w, "plan"), "No changes.")
	harness.Rewrite(t, w, strings.ReplaceAll(readonly, "data: {number: \\\"1\\\"}", "data: {number: \\\"changed\\\"}"))
	contains(t, must(t, w, "plan"), "3 to update", "checked with live reads only")
	harness.Rewrite(t, w, config)
}
