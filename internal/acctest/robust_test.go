package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// manyConfigMaps is a placement of a namespace with so many ConfigMaps.
func manyConfigMaps(kubeconfig, name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name)
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%02d, namespace: %s}\ndata: {number: \"%d\"}\n", i, name, i)
	}
	return provider(kubeconfig) + members + fmt.Sprintf(`
resource "fleet_crp" "p" {
  name      = %q
  manifests = { "all.yaml" = %q }
  `+afterMembers+`
}
`, name, b.String())
}

func record(t *testing.T) *clusters.Recorder {
	t.Helper()
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	})
	return recorder
}

func TestSecondApplyWritesNothing(t *testing.T) {
	binary := newest(t)
	recorder := record(t)
	put(t, "hub", `
apiVersion: v1
kind: Namespace
metadata: {name: twice}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: twice}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29", resources: {requests: {cpu: 1000m}}}]}
`)
	config := provider(recorder.Kubeconfig()) + members + `
resource "fleet_envelope_configmap" "e" {
  name      = "envelope"
  namespace = "twice"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: twice}, spec: {hard: {cpu: 1000m}}}" }
}
resource "fleet_crp" "p" {
  name               = "twice"
  resource_selectors = fleet_envelope_configmap.e.resource_selectors
  ` + afterMembers + `
}
`
	w := newWorkspace(t, binary, "", config)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	check(t, "member-1", "v1", "ResourceQuota", "twice", "q", 1, "spec", "hard", "cpu")
	recorder.Reset()
	contains(t, must(t, w, "apply", "-auto-approve"), "No changes.")
	if writes := recorder.Writes(); len(writes) > 0 {
		t.Errorf("the second apply wrote: %v", writes)
	}
	if len(recorder.Requests()) == 0 {
		t.Error("nothing was recorded: the test looks at the wrong place")
	}
}

// A provider that is killed in the middle of an apply leaves nothing that the next apply does not know of, once it has been imported: Terraform
// has no state of it.
func TestKilledApply(t *testing.T) {
	binary := newest(t)
	recorder := record(t)
	const objects = 30
	w := newWorkspace(t, binary, "", manyConfigMaps(recorder.Kubeconfig(), "killed", objects))
	destroyAtEnd(t, w)
	remove := recorder.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		return r.Write() && strings.Contains(r.Path, "/namespaces/killed/configmaps")
	}, Delay: 300 * time.Millisecond})

	apply := w.Command(t.Context(), "apply", "-auto-approve", "-no-color")
	var out bytes.Buffer
	apply.Stdout, apply.Stderr = &out, &out
	if err := apply.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the first ConfigMaps", func() bool {
		found, err := on(t, "member-2").List(t.Context(), "v1", "ConfigMap", "killed", "applyset.kubernetes.io/part-of")
		return err == nil && len(found) > 2
	})
	pid := providerOf(t, apply.Process.Pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := apply.Wait(); err == nil {
		t.Fatalf("the apply did not notice that its provider was killed:\n%s", out.String())
	}
	remove()
	left, err := on(t, "member-2").List(t.Context(), "v1", "ConfigMap", "killed", "applyset.kubernetes.io/part-of")
	if err != nil || len(left) == objects {
		t.Fatalf("the kill came too late: %d objects, %v", len(left), err)
	}

	refused, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Error("the plan of a create takes a placement up that it knows nothing of")
	}
	contains(t, refused, "exists already", "Import it", "has not ended")
	must(t, w, "import", "fleet_crp.p", "killed")
	must(t, w, "apply", "-auto-approve")
	for i := range 3 {
		member := fmt.Sprintf("member-%d", i+1)
		for n := range objects {
			check(t, member, "v1", "ConfigMap", "killed", fmt.Sprintf("c%02d", n), n, "data", "number")
		}
		entries := inventoryOf(t, member, "killed")
		if len(entries) != objects+1 {
			t.Errorf("%s: the inventory has %d objects", member, len(entries))
		}
		for _, entry := range entries {
			if entry.UID == "" || entry.Hash == "" || entry.Adopted {
				t.Errorf("%s: the inventory has %+v, an undisturbed apply records UID and hash of an object that it created", member, entry)
			}
		}
	}
	contains(t, must(t, w, "plan"), "No changes.")
	must(t, w, "destroy", "-auto-approve")
	for i := range 3 {
		absent(t, fmt.Sprintf("member-%d", i+1), "v1", "Namespace", "", "killed")
	}
}

type entry struct {
	Kind, Name, UID, Hash string
	Adopted               bool
}

func inventoryOf(t *testing.T, cluster, placement string) []entry {
	t.Helper()
	u, err := on(t, cluster).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-"+placement)
	if err != nil || u == nil {
		t.Fatalf("%s: no inventory: %v", cluster, err)
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "objects.json")
	var out []entry
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// providerOf finds the provider among the children of a Terraform process.
func providerOf(t *testing.T, terraform int) int {
	t.Helper()
	pid := childOf(terraform, "terraform-provider-fleet")
	if pid == 0 {
		t.Fatal("Terraform runs no provider")
	}
	return pid
}

// childOf finds a program among the children of a process; 0 if there is none.
func childOf(parent int, program string) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) && strings.Contains(string(command), program) {
			return pid
		}
	}
	return 0
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A member that is down holds up nobody else: the plan says that it was not checked, the status that it was not reached, and the next
// apply goes on with it.
func TestMemberDown(t *testing.T) {
	binary := newest(t)
	if !env.CanStopMembers() {
		t.Skip("these clusters cannot be stopped")
	}
	config := manyConfigMaps(env.Kubeconfig, "down", 2)
	w := newWorkspace(t, binary, "", config)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	if err := env.StopMember(t.Context(), "member-3"); err != nil {
		t.Fatal(err)
	}
	running := false
	start := func() {
		if !running {
			running = true
			if err := env.StartMember(context.Background(), "member-3"); err != nil {
				t.Fatal(err)
			}
		}
	}
	defer start()
	contains(t, must(t, w, "plan"), "No changes.", `Placement "down": 1 cluster could not be looked at`, "member-3: NOT CHECKED")
	rewrite(t, w, strings.ReplaceAll(config, "data: {number: \\\"1\\\"}", "data: {number: \\\"changed\\\"}"))
	contains(t, must(t, w, "plan"), "1 cluster NOT CHECKED", "member-3: NOT CHECKED", "member-1 and member-2: update 1, unchanged 2")
	contains(t, must(t, w, "apply", "-auto-approve"), "1 cluster not reached", "member-3")
	check(t, "member-1", "v1", "ConfigMap", "down", "c01", "changed", "data", "number")
	contains(t, must(t, w, "show"), "ApplyPending")
	// There is something left to do, and the plan says so.
	contains(t, must(t, w, "plan"), "update in-place", "member-3: NOT CHECKED")

	start()
	contains(t, must(t, w, "apply", "-auto-approve"), "1 changed")
	check(t, "member-3", "v1", "ConfigMap", "down", "c01", "changed", "data", "number")
	contains(t, must(t, w, "plan"), "No changes.")
}

// Credentials that may only read still give a plan.
func TestReadOnlyPlan(t *testing.T) {
	binary := newest(t)
	config := manyConfigMaps(env.Kubeconfig, "readonly", 2)
	w := newWorkspace(t, binary, "", config)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	readonly := config
	for _, context := range env.Contexts() {
		if !env.Has(clusters.Readonly(context)) {
			t.Skip("these clusters have no read-only user")
		}
		readonly = strings.ReplaceAll(readonly, fmt.Sprintf("config_context = %q", context), fmt.Sprintf("config_context = %q", clusters.Readonly(context)))
	}
	rewrite(t, w, readonly)
	contains(t, must(t, w, "plan"), "No changes.")
	rewrite(t, w, strings.ReplaceAll(readonly, "data: {number: \\\"1\\\"}", "data: {number: \\\"changed\\\"}"))
	contains(t, must(t, w, "plan"), "(3 clusters): 3 to update")
	rewrite(t, w, config)
}

// Credentials that a member refuses are that member's trouble alone.
func TestExpiredCredentials(t *testing.T) {
	binary := newest(t)
	expired := clusters.Expired("member-2")
	if !env.Has(expired) {
		t.Skip("these clusters have no expired credentials")
	}
	config := manyConfigMaps(env.Kubeconfig, "expired", 1)
	w := newWorkspace(t, binary, "", config)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member_1", "-target=fleet_member_cluster.member_2", "-target=fleet_member_cluster.member_3")
	rewrite(t, w, strings.Replace(config, `config_context = "member-2"`, fmt.Sprintf("config_context = %q", expired), 1))
	out := must(t, w, "plan", "-refresh=false")
	contains(t, out, "member-2: NOT CHECKED", "credentials")
	rewrite(t, w, config)
}
