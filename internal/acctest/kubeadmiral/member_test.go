package kubeadmiral

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// A member that another user has registered again belongs to that user: the plan says so, and neither a change nor a destroy affects it. After an import, the
// configuration manages it again.
func TestReplacedMember(t *testing.T) {
	w := world.New(t, env, "replaced", "hub", "member-3")
	const registration = "core.kubeadmiral.io/v1alpha1 FederatedCluster member-3"
	text := func(environment string) string {
		return fleet.Provider(env.Kubeconfig) + fmt.Sprintf(`
resource "fleet_member_cluster" "member" {
  name   = "member-3"
  labels = { environment = %q }
}
`, environment)
	}
	run := fleet.NewWorkspace(t, text("canary"))
	// While the host still creates Namespaces of earlier tests on the member, an apply finds more than its plan showed and writes nothing.
	w.Eventually("the apply registers the member", func() bool {
		out, err := run.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
		if err != nil && !strings.Contains(strings.Join(strings.Fields(out), " "), "Nothing was written. Plan again") {
			t.Fatalf("%v\n%s", err, out)
		}
		return err == nil
	})
	endpoint := w.Value("hub", registration, "spec", "apiEndpoint")
	w.Remove("hub", registration)
	w.AwaitGone("hub", registration)
	w.AwaitGone("member-3", "v1 Namespace kube-admiral-system")
	theirs := w.Put("hub", fmt.Sprintf("{apiVersion: core.kubeadmiral.io/v1alpha1, kind: FederatedCluster, metadata: {name: member-3, labels: {theirs: a}}, "+
		"spec: {apiEndpoint: %q, useServiceAccount: true, secretRef: {name: member-3-credentials}}}", endpoint))
	const replaced = "is not the object in the state"
	workspace.Contains(t, workspace.Must(t, run, "plan"), "was deleted and recreated outside of Terraform", replaced)
	hub.Write(t, run.Dir, text("production"))
	for _, command := range []string{"apply", "destroy"} {
		out, err := run.Run(t.Context(), nil, command, "-auto-approve", "-no-color")
		if err == nil {
			t.Fatalf("%s: the command succeeded:\n%s", command, out)
		}
		workspace.Contains(t, out, replaced, "terraform state rm")
	}
	now := w.Must("hub", registration)
	if now.GetUID() != theirs.GetUID() || now.GetDeletionTimestamp() != nil || now.GetLabels()["environment"] != "" {
		t.Errorf("the other user's registration was written: %v", now.Object["metadata"])
	}
	workspace.Must(t, run, "state", "rm", "fleet_member_cluster.member")
	workspace.Must(t, run, "import", "fleet_member_cluster.member", "member-3")
	workspace.Must(t, run, "apply", "-auto-approve")
	if now := w.Must("hub", registration); now.GetUID() != theirs.GetUID() || now.GetLabels()["environment"] != "production" {
		t.Errorf("the configuration does not manage it after the import: %v", now.Object["metadata"])
	}
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")

	// The plan of its removal lists the objects that remain on the member, including those of other tests' placements.
	hub.Write(t, run.Dir, text("production")+w.Expand(`
resource "fleet_crp" "it" {
  name      = "$ns"
  manifests = { it = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns}}" }
}
`))
	workspace.Must(t, run, "apply", "-auto-approve")
	workspace.Contains(t, workspace.Must(t, run, "plan", "-destroy", "-target=fleet_member_cluster.member"), "The hub acts on member member-3 immediately:",
		w.Expand("left on the cluster: ConfigMap $ns/it on member-3"), "the label kubeadmiral.io/managed remains")
	workspace.Must(t, run, "destroy", "-auto-approve", "-target=fleet_crp.it")
}
