package kubefleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/standin"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var (
	env *clusters.Env
	// agents are those of the stand-in; nil on a real hub.
	agents *standin.Hub
)

func TestMain(m *testing.M) {
	onRealHub, err := standin.UseRealHub()
	if err != nil {
		panic(err)
	}
	os.Exit(clusters.Main(tests(func() int { return withAgents(m, onRealHub) }), clusters.Options{Members: 3}, &env))
}

type tests func() int

func (t tests) Run() int { return t() }

// withAgents runs the tests while the stand-in's agents do.
func withAgents(m *testing.M, onRealHub bool) (status int) {
	if env == nil || onRealHub {
		return m.Run()
	}
	started, end, err := startAgents(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		return 1
	}
	agents = started
	status = m.Run()
	if err := end(); err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		status = max(status, 1)
	}
	return status
}

// startAgents makes a hub of KubeFleet of the hub. Clusters that outlive the tests are left without it in the end.
func startAgents(ctx context.Context) (started *standin.Hub, end func() error, err error) {
	connect := func(name string) *kube.Cluster {
		to := connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: name}
		return kube.NewCluster(name, to, kube.Options{QPS: -1, ShareFor: -1}, nil)
	}
	hub, members := connect(env.Hub), map[string]*kube.Cluster{}
	for _, name := range env.Members {
		members[name] = connect(name)
	}
	started, err = standin.Start(ctx, hub, members)
	return started, func() error {
		trouble := started.Trouble()
		started.Close()
		var err error
		if !env.CanStopMembers() {
			err = started.Uninstall(ctx)
		}
		hub.Close()
		for _, member := range members {
			member.Close()
		}
		return errors.Join(trouble, err)
	}, err
}

var mirror = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fleet-acctest-")
	if err != nil {
		return "", err
	}
	return workspace.Install(context.Background(), dir)
})

// provider is a provider configuration with the hub and all members.
func provider(kubeconfig string) string {
	var members strings.Builder
	for _, name := range env.Members {
		fmt.Fprintf(&members, "    %s = { config_path = %q, config_context = %q }\n", name, kubeconfig, name)
	}
	return fmt.Sprintf("provider \"fleet\" {\n  engine  = \"kubefleet\"\n  hub     = { config_path = %q, config_context = %q }\n  members = {\n%s  }\n}\n",
		kubeconfig, env.Hub, members.String())
}

// members registers all members.
const members = `
resource "fleet_member_cluster" "member" {
  for_each = { member-1 = "production", member-2 = "production", member-3 = "canary" }
  name     = each.key
  labels   = { environment = each.value }
}
`

// newWorkspace makes a folder in which Terraform runs with a configuration, whose resources are destroyed when the test ends.
func newWorkspace(t *testing.T, text string) *workspace.Workspace {
	t.Helper()
	clusters.Need(t, env)
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	installed, err := mirror()
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	write(t, source, text)
	w, err := workspace.New(t.Context(), binary, installed, source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+env.Kubeconfig)
	t.Cleanup(func() {
		if out, err := w.Run(context.Background(), nil, "destroy", "-auto-approve", "-no-color"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if agents != nil && t.Failed() {
			t.Log("the agents' trouble: ", agents.Trouble())
		}
	})
	return w
}

// write writes the configuration of a workspace.
func write(t *testing.T, dir, text string) {
	t.Helper()
	if !strings.Contains(text, "required_providers") {
		text = "terraform {\n  required_providers {\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}\n" + text
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// must runs Terraform and fails the test if the run fails.
func must(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, append(args, "-no-color")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// contains fails the test for every text that is missing. White space does not matter: Terraform wraps what it prints.
func contains(t *testing.T, out string, texts ...string) {
	t.Helper()
	flat := squeeze(out)
	for _, text := range texts {
		if !strings.Contains(flat, squeeze(text)) {
			t.Errorf("missing %q in:\n%s", text, out)
		}
	}
}

func squeeze(text string) string {
	text = strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// get reads an object of a cluster; nil if it is not there.
func get(t *testing.T, cluster, apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	client, err := env.Client(cluster)
	if err != nil {
		t.Fatal(err)
	}
	u, err := client.Get(t.Context(), apiVersion, kind, namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// text is an object as JSON.
func text(u *unstructured.Unstructured) string {
	if u == nil {
		return "not there"
	}
	data, err := u.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// namespaces are the names of those among objects.
func namespaces(objects string) (out []string) {
	found, _ := fixture.Parse([]byte(objects))
	for _, u := range found {
		if u.GetKind() == "Namespace" {
			out = append(out, u.GetName())
		}
	}
	return out
}
