package kubefleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// installs replaces the member's part of the example, whose providers are not available: it records the values of the agent's chart.
const installs = `
resource "terraform_data" "agent" {
  provisioner "local-exec" {
    command = "printf %s \"$TOKEN\" > \"$FILE\"; printf %s \"$URL\" > \"$FILE.url\"; printf %s \"$CA\" | base64 -d > \"$FILE.ca\""
    environment = {
      FILE  = "$file"
      TOKEN = ephemeral.fleet_member_token.member_1.token
      URL   = ephemeral.fleet_member_token.member_1.hub_url
      CA    = ephemeral.fleet_member_token.member_1.hub_ca
    }
  }
}
`

// The example that registers a new member: the hub has the member and the planned ServiceAccount, the agent authenticates with the token that it gets, the
// state has no token, and destroy deletes everything.
func TestJoinAMember(t *testing.T) {
	clusters.Need(t, env)
	if agents == nil {
		t.Skip("the members of a real hub have their own agents")
	}
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, filepath.Join(root, "examples", "join-a-member", "hub.tf"))
	file := filepath.Join(t.TempDir(), "token")
	w := newWorkspace(t, text+strings.ReplaceAll(installs, "$file", file))
	contains(t, must(t, w, "plan"), `"member-1-hub-cluster-access"`, `"fleet-system"`, `"fleet-member-member-1"`, `"fleet-role-member-1"`)
	must(t, w, "apply", "-auto-approve")
	if out := must(t, w, "plan"); strings.Contains(out, "to add") {
		t.Errorf("the second plan is not empty:\n%s", out)
	}
	token, address, certificates := read(t, file), read(t, file+".url"), read(t, file+".ca")
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	if token == "" || strings.Contains(string(state), token) {
		t.Error("the agent got no token, or the state has it")
	}
	agent, err := kubernetes.NewForConfig(&rest.Config{Host: address, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(certificates)}})
	if err != nil {
		t.Fatal(err)
	}
	who, err := agent.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if name := who.Status.UserInfo.Username; name != "system:serviceaccount:fleet-system:member-1-hub-cluster-access" {
		t.Errorf("agent: %s", name)
	}
	must(t, w, "destroy", "-auto-approve")
	if u := get(t, env.Hub, "v1", "ServiceAccount", "fleet-system", "member-1-hub-cluster-access"); u != nil {
		t.Errorf("not deleted: %s", u.GetName())
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
