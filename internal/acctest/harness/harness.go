// Package harness is shared by the acceptance tests: clusters, a provider configuration for the direct engine or that of FLEET_TEST_ENGINE, and workspaces in
// which Terraform runs as for a user.
//
// A package can register the members once ([Harness.Main]). Its tests run in parallel, each with its own names. Tests whose own configuration registers the
// members are in packages that do not register them, and run sequentially.
package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
)

// Factories run the provider in the test process.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"fleet": func() (tfprotov6.ProviderServer, error) { return app.NewServer("test"), nil },
}

// EngineVariable is the environment variable with the engine for the configurations, instead of the direct engine.
const EngineVariable = "FLEET_TEST_ENGINE"

// Harness is the clusters of a package's tests.
type Harness struct {
	// Env is nil if the tests have no clusters.
	Env *clusters.Env
}

// Members is a configuration that registers the three members.
const Members = `
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

// AfterMembers makes a resource wait for [Members].
const AfterMembers = "depends_on = [fleet_member_cluster.member_1, fleet_member_cluster.member_2, fleet_member_cluster.member_3]\n"

// Main is the body of a TestMain. It starts a hub and three members. If register is true, it registers the members during the tests. It returns the exit
// status.
func (h *Harness) Main(m *testing.M, register bool) int {
	return clusters.Main(clusters.Func(func() int {
		if h.Env == nil || !register {
			return m.Run()
		}
		leave, err := h.join(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, "register the members:", err)
			return 1
		}
		status := m.Run()
		if err := leave(); err != nil {
			fmt.Fprintln(os.Stderr, "remove the members:", err)
			return max(status, 1)
		}
		return status
	}), clusters.Options{Members: 3}, &h.Env)
}

// join registers the members with the newest Terraform.
func (h *Harness) join(ctx context.Context) (leave func() error, err error) {
	binary, err := cli.Terraform(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	mirror, err := workspace.Mirror()
	if err != nil {
		return nil, err
	}
	w, err := workspace.Apply(ctx, func(dir string) (*workspace.Workspace, error) {
		text := workspace.Required + h.Provider(h.Env.Kubeconfig) + Members
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600); err != nil {
			return nil, err
		}
		return workspace.New(ctx, binary, mirror, dir, dir)
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		var err error
		if h.Env.Outlives() {
			err = w.Destroy(ctx)
			if h.Env.Disposable() {
				err = errors.Join(err, h.dropRecords(ctx))
			}
		}
		return errors.Join(err, os.RemoveAll(w.Dir))
	}, nil
}

// dropRecords deletes records that tests of the short suite kept. The next package would read them in each preview.
func (h *Harness) dropRecords(ctx context.Context) error {
	var errs []error
	for _, member := range h.Env.Members {
		client, err := h.Env.Client(member)
		if err == nil {
			err = client.Delete(ctx, "v1", "Namespace", "", direct.Namespace)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Engine returns the engine for the configurations.
func Engine() string { return cmp.Or(os.Getenv(EngineVariable), "direct") }

// Provider returns a provider configuration with the hub and all members.
func (h *Harness) Provider(kubeconfig string) string {
	return "\n" + workspace.Provider(h.Env, Engine(), kubeconfig)
}

// Open creates a workspace with the given Terraform, which starts the provider as a separate process. source is a folder with a configuration, relative to the
// repository's root. If it is empty, text is the configuration.
func (h *Harness) Open(t *testing.T, binary cli.Binary, source, text string) *workspace.Workspace {
	t.Helper()
	mirror, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	if source == "" {
		source = t.TempDir()
		if !strings.Contains(text, "required_providers") {
			text = workspace.Required + text
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
	w, err := workspace.New(t.Context(), binary, mirror, source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Most examples name no engine, and the hub may have KubeFleet's CRDs from the tests of another package.
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+h.Env.Kubeconfig, "FLEET_ENGINE="+Engine())
	return w
}

// Rewrite replaces the configuration of a workspace that was created from a text.
func Rewrite(t *testing.T, w *workspace.Workspace, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(workspace.Required+text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// DestroyAtEnd destroys a workspace's resources when the test ends, whether or not it fails. In the short suite it does nothing on clusters that end with the
// tests; tests of destroy call destroy themselves.
func (h *Harness) DestroyAtEnd(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	if h.Env.Abandons() {
		return
	}
	h.MustDestroyAtEnd(t, w)
}

// MustDestroyAtEnd always destroys a workspace's resources when the test ends, unlike [Harness.DestroyAtEnd]. It is for resources that the next test must not
// find, such as registrations of members.
func (h *Harness) MustDestroyAtEnd(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	t.Cleanup(func() {
		if err := w.Destroy(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// LeaveAtEnd removes a workspace's registrations when the test ends. The whole suite destroys all resources of the workspace. The short suite of the
// direct engine, on clusters that end with the tests, deletes only the registrations.
func (h *Harness) LeaveAtEnd(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	if !h.Env.Abandons() || Engine() != "direct" {
		h.MustDestroyAtEnd(t, w)
		return
	}
	t.Cleanup(func() {
		for _, member := range h.Env.Members {
			if err := h.On(t, member).Delete(context.Background(), "v1", "ConfigMap", direct.Namespace, "member-cluster"); err != nil {
				t.Error(err)
			}
		}
	})
}

// Newest returns the newest Terraform, the default of the tests. It skips the test without clusters.
func (h *Harness) Newest(t *testing.T) cli.Binary {
	t.Helper()
	clusters.Need(t, h.Env)
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// EveryCLI returns the newest Terraform and, in the whole suite, all other supported versions of Terraform and OpenTofu.
func (h *Harness) EveryCLI(t *testing.T) []cli.Binary {
	t.Helper()
	if testing.Short() {
		return []cli.Binary{h.Newest(t)}
	}
	clusters.Need(t, h.Env)
	binaries, err := cli.All(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return binaries
}
