package acctest

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// One apply hands over a workload that runs on a member. Its plan previews the takeover, and its Pods stay. The copy in the state does not follow the workload,
// but can be renewed on request. Destroying the copy with its placement deletes nothing on the member.
func TestWorkload(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "member-1", harness.SetNamespace("handover", harness.Nginx))
	running := func() map[string]bool { return fleet.PodUIDs(t, "member-1", "handover") }
	harness.Await(t, "the Pods of the workload", func() bool { return len(running()) == 2 })
	configuration := fleet.Provider(fleet.Env.Kubeconfig) + harness.SetNamespace("handover", harness.HandedOver)
	w := fleet.Open(t, binary, "", configuration)
	fleet.DestroyAtEnd(t, w)
	pods := running()

	out := must(t, w, "plan", "-out=saved")
	contains(t, out, `"deployment.handover.handover-nginx.yaml"`, "3 to take over on member-1",
		`Deployment handover/handover-nginx on "member-1" needs 1 object that the manifests lack`, "Secret handover/password: the state would contain its values")
	if strings.Contains(out, "hunter2") || strings.Contains(out, "replaces its Pods") {
		t.Error(out)
	}

	// The apply fails if the workload has changed since the plan made the copy.
	change := func(greeting string) {
		t.Helper()
		if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "handover", "settings", `{"data": {"greeting": "`+greeting+`"}}`); err != nil {
			t.Fatal(err)
		}
	}
	change("changed")
	out, err := w.Run(t.Context(), nil, "apply", "-no-color", "saved")
	if err == nil {
		t.Errorf("the apply used another copy:\n%s", out)
	}
	contains(t, out, "Provider produced inconsistent final plan", "fleet_workload.nginx", "greeting: changed")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "handover", "settings", nil, "metadata", "labels")
	change("hello")
	must(t, w, "apply", "-auto-approve")
	if after := running(); !maps.Equal(pods, after) || len(pods) == 0 {
		t.Errorf("the takeover replaced Pods: %v, %v", pods, after)
	}
	contains(t, must(t, w, "plan"), "No changes.")

	// The placement now owns the live object.
	change("moin")
	out = must(t, w, "plan")
	if strings.Contains(out, "fleet_workload.nginx will") {
		t.Errorf("the copy follows the workload:\n%s", out)
	}
	harness.Rewrite(t, w, strings.Replace(configuration, `name      = "handover-nginx"
  lifecycle`, `name      = "handover-nginx"
  triggers  = { at = "again" }
  lifecycle`, 1))
	contains(t, must(t, w, "apply", "-auto-approve"), "fleet_workload.nginx will be updated in-place", "greeting: moin")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "handover", "settings", "moin", "data", "greeting")
	contains(t, must(t, w, "plan"), "No changes.")

	contains(t, must(t, w, "destroy", "-auto-approve", "-target=fleet_workload.nginx"),
		`The copy of Deployment handover/handover-nginx on "member-1" will be removed from the state`, "3 left on the cluster")
	if after := running(); !maps.Equal(pods, after) {
		t.Errorf("removing the placement replaced Pods: %v, %v", pods, after)
	}
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "handover", "handover-nginx", nil, "metadata", "labels", "applyset.kubernetes.io/part-of")
}

// The plan shows a takeover that would replace Pods, with the fields that it would change. A condition on that stops the apply, and a placement with IfNoDiff
// does not take the workload over.
func TestWorkloadThatWouldRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	_, rest, _ := strings.Cut(harness.SetNamespace("restarting", harness.Nginx), "---\n")
	namespace, policy, _ := strings.Cut(harness.SetNamespace("restarting", harness.Injecting), "---\n")
	fleet.Put(t, "member-1", namespace)
	fleet.Put(t, "member-1", rest)
	running := func() map[string]bool { return fleet.PodUIDs(t, "member-1", "restarting") }
	// The Deployment's controller writes the Deployment before it creates Pods: the policy must not match those writes.
	harness.Await(t, "the Pods of the workload", func() bool { return len(running()) == 2 })
	fleet.Put(t, "member-1", policy)
	strict := fleet.Provider(fleet.Env.Kubeconfig) + harness.SetNamespace("restarting", harness.HandedOver)
	w := fleet.Open(t, binary, "", strings.Replace(strict, `"rollout"`, `"unknown"`, 1))
	fleet.DestroyAtEnd(t, w)
	const field = `spec.template.metadata.annotations: absent -> {"injected":"yes"}`
	wantTexts := []string{`Handing over Deployment restarting/restarting-nginx on "member-1" replaces its Pods`, "Changes of the Pod template: " + field}
	planned := ""
	harness.Await(t, "the policy to take effect", func() bool {
		planned = must(t, w, "plan")
		return strings.Contains(squeeze(planned), wantTexts[0])
	})
	pods := running()
	contains(t, planned, append(wantTexts, `Placement "restarting-nginx" (1 cluster): 1 conflict on member-1 not taken over, 2 existing objects on member-1 to take over`,
		"Deployment restarting/restarting-nginx on member-1 (kubectl): FailedToTakeOver")...)
	must(t, w, "apply", "-auto-approve")
	if after := running(); !maps.Equal(pods, after) || len(pods) == 0 {
		t.Errorf("Pods were replaced: %v, %v", pods, after)
	}
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "restarting", "restarting-nginx", nil, "metadata", "labels")

	harness.Rewrite(t, w, strict)
	out, err := w.Run(t.Context(), nil, "plan", "-no-color", "-replace=fleet_workload.nginx")
	if err == nil {
		t.Errorf("the condition did not fail:\n%s", out)
	}
	contains(t, out, "Resource postcondition failed", "The takeover would replace Pods.")
	harness.Rewrite(t, w, strings.Replace(strict, `"rollout"`, `"unknown"`, 1))
}

// The data source returns the running workload like the resource, and the published examples work.
func TestWorkloadExamples(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "member-1", strings.ReplaceAll(strings.ReplaceAll(harness.Nginx, "brownfield", "shop"), "my-nginx", "web"))
	example := func(kind, file string) string {
		return documents.Read(t, filepath.Join(documents.Root(t), "examples", kind, "fleet_workload", file))
	}
	w := fleet.Open(t, binary, "", fleet.Provider(fleet.Env.Kubeconfig)+example("data-sources", "data-source.tf")+example("resources", "resource.tf"))
	fleet.DestroyAtEnd(t, w)
	contains(t, must(t, w, "apply", "-auto-approve"), `+ "Secret password" = "the state would contain its values"`, `+ restart = "none"`,
		"3 to take over on member-1")
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "state", "show", "data.fleet_workload.web"), "kind: Deployment", `owner = "kubectl"`, `relation = "selects"`)
}

// A workload can be imported by identity or by an equivalent ID. The import is a copy like any other.
func TestWorkloadImport(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "member-1", harness.SetNamespace("adopted", harness.Nginx))
	before, _, _ := strings.Cut(harness.SetNamespace("adopted", harness.HandedOver), `resource "fleet_crp"`)
	for name, by := range map[string]string{
		"identity": `identity = { cluster = "member-1", group = "apps", version = "v1", kind = "Deployment", namespace = "adopted", name = "adopted-nginx" }`,
		"id":       `id = "cluster=member-1,apiVersion=apps/v1,kind=Deployment,namespace=adopted,name=adopted-nginx"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet.Open(t, binary, "", fleet.Provider(fleet.Env.Kubeconfig)+before+"import {\n  to = fleet_workload.nginx\n  "+by+"\n}\n")
			fleet.DestroyAtEnd(t, w)
			contains(t, must(t, w, "apply", "-auto-approve"), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
			contains(t, must(t, w, "state", "show", "fleet_workload.nginx"), "kind: Deployment", `restart = "none"`)
		})
	}
}

// A plan fails if a workload does not exist or must not be copied.
func TestWorkloadRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "member-1", harness.SetNamespace("refused", harness.Nginx))
	before, _, _ := strings.Cut(harness.SetNamespace("refused", harness.HandedOver), `resource "fleet_crp"`)
	for name, c := range map[string]struct{ from, to, want string }{
		"none of that name":     {`"refused-nginx"`, `"nobodys"`, `Deployment refused/nobodys on "member-1" does not exist`},
		"no such member":        {`cluster   = "member-1"`, `cluster   = "member-9"`, `no connection to the member "member-9"`},
		"a Secret":              {`"Deployment"`, `"Secret"`, "the state would contain its values"},
		"what a controller has": {`kind      = "Deployment"`, `kind      = "ReplicaSet"`, `does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(fleet.Provider(fleet.Env.Kubeconfig)+before, c.from, c.to)
			if c.to == `"Secret"` {
				text = strings.Replace(text, `group     = "apps"`, "", 1)
			}
			w := fleet.Open(t, binary, "", text)
			out, err := w.Run(t.Context(), nil, "plan", "-no-color")
			if err == nil {
				t.Errorf("the plan succeeded:\n%s", out)
			}
			contains(t, out, c.want)
		})
	}
}

// unmanaged is a workspace for a namespace with a workload without a manager on member-1, and a Helm release's workload on member-2.
type unmanaged struct {
	*workspace.Workspace
	namespace string
}

func openUnmanaged(t *testing.T, namespace string) unmanaged {
	t.Helper()
	binary := fleet.Newest(t)
	nginx := harness.SetNamespace(namespace, harness.Nginx)
	fleet.Put(t, "member-1", nginx)
	of := strings.NewReplacer("NAMESPACE", namespace)
	released := strings.Replace(nginx, of.Replace("metadata: {name: NAMESPACE-nginx, namespace: NAMESPACE}"), of.Replace(`metadata:
  name: NAMESPACE-nginx
  namespace: NAMESPACE
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: nginx, meta.helm.sh/release-namespace: NAMESPACE}`), 1)
	if released == nginx {
		t.Fatal("the workload has no release")
	}
	fleet.Put(t, "member-2", released)
	return unmanaged{fleet.Open(t, binary, "", fleet.Provider(fleet.Env.Kubeconfig)), namespace}
}

// query lists the workloads. It returns whether the list has the unmanaged workload and the release's workload.
func (u unmanaged) query(t *testing.T, arguments string, args ...string) (found [2]bool, out string) {
	t.Helper()
	text := "list \"fleet_workload\" \"unmanaged\" {\n  provider = fleet\n  config {\n    namespace = \"" + u.namespace + "\"\n    " + arguments + "\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(u.Dir, "all.tfquery.hcl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out = must(t, u.Workspace, append([]string{"query"}, args...)...)
	of := strings.NewReplacer("NAMESPACE", u.namespace)
	first := of.Replace("cluster=member-1,group=apps,kind=Deployment,name=NAMESPACE-nginx,namespace=NAMESPACE,version=v1")
	second := of.Replace("Deployment NAMESPACE/NAMESPACE-nginx on member-2 (Helm release NAMESPACE/nginx)")
	return [2]bool{strings.Contains(out, first), strings.Contains(squeeze(out), second)}, out
}

// terraform query finds workloads on members that nothing manages, and Terraform imports them with the configuration that it generates. The list has the
// workload of a Helm release only with include_managed.
func TestWorkloadQuery(t *testing.T) {
	t.Parallel()
	u := openUnmanaged(t, "found")
	if found, out := u.query(t, "include_managed = true"); found != [2]bool{true, true} {
		t.Errorf("%v\n%s", found, out)
	}
	if found, out := u.query(t, "", "-generate-config-out=generated.tf"); found != [2]bool{true, false} {
		t.Errorf("%v\n%s", found, out)
	}
	fleet.DestroyAtEnd(t, u.Workspace)
	contains(t, must(t, u.Workspace, "apply", "-auto-approve"), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
	contains(t, must(t, u.Workspace, "plan"), "No changes.")
}

// The arguments of a list restrict it.
func TestWorkloadQueryArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	u := openUnmanaged(t, "narrowed")
	for arguments, want := range map[string][2]bool{
		"": {true, false}, `clusters = ["member-2"]`: {false, false}, `kinds = ["Job", "StatefulSet"]`: {false, false},
		`kinds = ["Deployment"]`: {true, false}, `label_selector = "app.kubernetes.io/managed-by=Helm"`: {false, false},
	} {
		if found, out := u.query(t, arguments); found != want {
			t.Errorf("%s: %v\n%s", arguments, found, out)
		}
	}
}
