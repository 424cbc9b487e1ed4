// Package faults runs placements under faults: connections are cut, responses are lost, processes are killed, and other clients change objects and records.
// Under every fault, objects of other clients must stay, and every object that the placement leaves behind must be reported.
//
// The faults are drawn at random. FLEET_TEST_FAULT_LIVES is the number of placements, FLEET_TEST_FAULT_SEED the first seed.
package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

const (
	livesVariable = "FLEET_TEST_FAULT_LIVES"
	seedVariable  = "FLEET_TEST_FAULT_SEED"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 3, NoHub: true}, &env))
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// newWorkspace creates a workspace with a configuration.
func newWorkspace(t *testing.T, text string) *workspace.Workspace {
	t.Helper()
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	installed, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, text)
	w, err := workspace.New(t.Context(), binary, installed, dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(workspace.Required+text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// provider returns the provider's configuration.
func provider(kubeconfig string) string {
	text := "provider \"fleet\" {\n  engine = \"direct\"\n  members = {\n"
	for _, name := range env.Members {
		text += fmt.Sprintf("    %s = { config_path = %q, config_context = %q }\n", name, kubeconfig, name)
	}
	return text + "  }\n}\n"
}

// TestFaults runs placements: each is created, changed and destroyed, with one fault in each of these operations.
func TestFaults(t *testing.T) {
	clusters.Need(t, env)
	if !env.CanStopMembers() {
		t.Log("members cannot be stopped on existing clusters")
	}
	fleet := newWorkspace(t, provider(env.Kubeconfig)+
		"resource \"fleet_member_cluster\" \"m\" {\n  for_each = toset([\"member-1\", \"member-2\", \"member-3\"])\n  name = each.key\n}\n")
	if out, err := fleet.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := fleet.Run(context.Background(), nil, "destroy", "-auto-approve", "-no-color"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	seed := number(t, seedVariable, 1)
	t.Run("lives", func(t *testing.T) {
		for n := range number(t, livesVariable, 2) {
			t.Run(strconv.Itoa(seed+n), func(t *testing.T) {
				t.Parallel()
				newLife(t, uint64(seed+n)).live()
			})
		}
	})
}
