package acctest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 3}, &env))
}

// factories runs the provider in the process of the test.
var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"fleet": providerserver.NewProtocol6WithError(app.NewProvider("test")()),
}

// engineVariable names the engine that the configurations are run with, instead of the direct one.
const engineVariable = "FLEET_TEST_ENGINE"

// engineName is the engine that the configurations are run with.
func engineName() string { return cmp.Or(os.Getenv(engineVariable), "direct") }

// provider is a provider configuration with the hub and all members.
func provider(kubeconfig string) string {
	var members strings.Builder
	for _, name := range env.Members {
		fmt.Fprintf(&members, "    %s = { config_path = %q, config_context = %q }\n", name, kubeconfig, name)
	}
	return fmt.Sprintf(`
provider "fleet" {
  engine  = %q
  hub     = { config_path = %q, config_context = %q }
  members = {
%s  }
}
`, engineName(), kubeconfig, env.Hub, members.String())
}

// members registers all members. (The test framework knows no for_each.)
const members = `
resource "fleet_member_cluster" "member_1" {
  name   = "member-1"
  labels = { environment = "production" }
}
resource "fleet_member_cluster" "member_2" {
  name   = "member-2"
  labels = { environment = "production" }
}
resource "fleet_member_cluster" "member_3" {
  name   = "member-3"
  labels = { environment = "canary" }
}
`

// afterMembers makes a resource wait for them.
const afterMembers = "depends_on = [fleet_member_cluster.member_1, fleet_member_cluster.member_2, fleet_member_cluster.member_3]\n"

// on returns a client for a cluster: "hub" or a member's name.
func on(t *testing.T, name string) *fixture.Client {
	t.Helper()
	client, err := env.Client(name)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// put creates objects on a cluster and removes the namespaces among them when the test ends.
func put(t *testing.T, cluster, text string) {
	t.Helper()
	client := on(t, cluster)
	if err := client.Create(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	objects, err := fixture.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, u := range objects {
			if u.GetNamespace() == "" {
				if err := client.Delete(context.Background(), u.GetAPIVersion(), u.GetKind(), "", u.GetName()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// newWorkspace makes a folder in which the given Terraform runs with the provider as a process of its own. source is a folder of
// configuration below the repository's root, or "" for the text.
func newWorkspace(t *testing.T, binary cli.Binary, source, text string) *workspace.Workspace {
	t.Helper()
	installed, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	if source == "" {
		source = t.TempDir()
		if !strings.Contains(text, "required_providers") {
			text = "terraform {\n  required_providers {\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}\n" + text
		}
		if err := os.WriteFile(filepath.Join(source, "main.tf"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	} else {
		root, err := gobuild.Root()
		if err != nil {
			t.Fatal(err)
		}
		source = filepath.Join(root, source)
	}
	w, err := workspace.New(t.Context(), binary, installed, source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+env.Kubeconfig)
	return w
}

// rewrite replaces the configuration of a workspace that was made of a text.
func rewrite(t *testing.T, w *workspace.Workspace, text string) {
	t.Helper()
	text = "terraform {\n  required_providers {\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}\n" + text
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// destroyAtEnd destroys what a workspace made, whatever becomes of the test.
func destroyAtEnd(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	t.Cleanup(func() {
		if out, err := w.Run(context.Background(), nil, "destroy", "-auto-approve", "-no-color"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// newest is the Terraform that the tests run unless they say otherwise.
func newest(t *testing.T) cli.Binary {
	t.Helper()
	clusters.Need(t, env)
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// everyCLI are the newest Terraform and all others that the provider says it works with.
func everyCLI(t *testing.T) []cli.Binary {
	t.Helper()
	clusters.Need(t, env)
	binaries, err := cli.All(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return binaries
}

// The tests run Terraform, and look at what it prints, all the time.
var must, contains, squeeze = workspace.Must, workspace.Contains, workspace.Squeeze
