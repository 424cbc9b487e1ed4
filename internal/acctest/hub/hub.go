// Package hub runs Terraform on a hub. While the tests run, it simulates the hub's agents, except on a real hub.
package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// Agents are the agents of a fake hub.
type Agents interface {
	// LastError returns the agents' errors, nil for none.
	LastError() error
	Close()
}

// Fleet is a hub with its members.
type Fleet struct {
	Env *clusters.Env
	// Engine is the value of the provider argument.
	Engine string
	// Placements are the kinds of placements on the hub: API version and kind.
	Placements [][2]string
	// Agents simulate the hub's agents, nil where real agents run.
	Agents Agents

	members membership
}

// Run runs the tests while simulated agents run. start starts them with connections to the hub and its members. At the end, Run calls finish, if it is not nil,
// but only on clusters that outlive the test run. Clusters of the test run do not need finish, because only packages of the same engine share them.
func (f *Fleet) Run(
	m *testing.M, start func(ctx context.Context, hub *kube.Cluster, members map[string]*kube.Cluster) (Agents, error), finish func(context.Context) error,
) (status int) {
	ctx := context.Background()
	connect := func(name string) *kube.Cluster {
		to := connection.Connection{ConfigPath: f.Env.Kubeconfig, ConfigContext: name}
		return kube.NewCluster(name, to, kube.Options{QPS: -1, ShareFor: -1}, nil)
	}
	hub, members := connect(f.Env.Hub), map[string]*kube.Cluster{}
	defer hub.Close()
	for _, name := range f.Env.Members {
		members[name] = connect(name)
		defer members[name].Close()
	}
	agents, err := start(ctx, hub, members)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake hub:", err)
		return 1
	}
	f.Agents = agents
	status = m.Run()
	if f.Env.Abandons() && f.Env.Outlives() {
		err = f.sweep(ctx)
	}
	err = errors.Join(err, agents.LastError())
	agents.Close()
	if f.Env.Outlives() && !f.Env.Disposable() && finish != nil {
		err = errors.Join(err, finish(ctx))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake hub:", err)
		status = max(status, 1)
	}
	return status
}

// Provider returns a provider configuration with the hub and all members.
func (f *Fleet) Provider(kubeconfig string) string {
	return workspace.Provider(f.Env, f.Engine, kubeconfig)
}

// NewWorkspace creates a workspace with a configuration, and destroys its resources when the test ends. In the short suite, on clusters that end with the
// tests, it destroys only in tests that register members.
func (f *Fleet) NewWorkspace(t *testing.T, text string) *workspace.Workspace {
	t.Helper()
	clusters.Need(t, f.Env)
	w, err := f.open(t.Context(), t.TempDir(), t.TempDir(), text)
	if err != nil {
		t.Fatal(err)
	}
	destroy := !f.Env.Abandons() || strings.Contains(text, `resource "fleet_member_cluster"`)
	t.Cleanup(func() {
		if destroy {
			if err := w.Destroy(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if f.Agents != nil && t.Failed() {
			t.Log("errors of the agents:", f.Agents.LastError())
		}
	})
	return w
}

// open creates a workspace in dir from a configuration, which it writes to source.
func (f *Fleet) open(ctx context.Context, source, dir, text string) (*workspace.Workspace, error) {
	binary, err := cli.Terraform(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	installed, err := workspace.Mirror()
	if err != nil {
		return nil, err
	}
	if err := writeFile(source, text); err != nil {
		return nil, err
	}
	w, err := workspace.New(ctx, binary, installed, source, dir)
	if err != nil {
		return nil, err
	}
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+f.Env.Kubeconfig)
	return w, nil
}

// Write writes the configuration of a workspace.
func Write(t *testing.T, dir, text string) {
	t.Helper()
	if err := writeFile(dir, text); err != nil {
		t.Fatal(err)
	}
}

func writeFile(dir, text string) error {
	if !strings.Contains(text, "required_providers") {
		text = workspace.Required + text
	}
	return os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600)
}
