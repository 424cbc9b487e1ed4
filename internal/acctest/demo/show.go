package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// show is the demo's presentation.
type show struct {
	root, dir, kubeconfig string
	terraform             cli.Binary
	mirror                string
}

func (s *show) run(ctx context.Context) error {
	var err error
	fmt.Println("Compiling the provider: a minute the first time.")
	if s.mirror, err = workspace.Install(ctx, s.dir); err != nil {
		return err
	}
	if err := s.takeover(ctx); err != nil {
		return err
	}
	return s.envelope(ctx)
}

func (s *show) takeover(ctx context.Context) error {
	title("member-2 already runs the workload web-2 with 2 replicas; the hub has it with 3")
	if err := s.put(ctx, "hub", "takeover", "hub.yaml"); err != nil {
		return err
	}
	if err := s.put(ctx, "member-2", "takeover", "member-2.yaml"); err != nil {
		return err
	}
	w, err := workspace.New(ctx, s.terraform, s.mirror, filepath.Join(s.root, "examples", "takeover"), filepath.Join(s.dir, "takeover"))
	if err != nil {
		return err
	}
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+s.kubeconfig)
	for _, step := range []struct{ mode, title string }{
		{"Never", "Take over never: the plan lists pre-existing objects, the apply does not change them"},
		{"IfNoDiff", "Take over objects without differences: the Deployment differs, and remains unchanged"},
		{"Always", "Take over always: the plan shows the fields that will be overwritten"},
	} {
		title("%s", step.title)
		variable := "-var=when_to_take_over=" + step.mode
		if err := s.printAndRun(ctx, w, "plan", variable, "-no-color", "-out=demo.tfplan"); err != nil {
			return err
		}
		if err := s.printAndRun(ctx, w, "apply", "-no-color", "demo.tfplan"); err != nil {
			return err
		}
		if err := s.printAndRun(ctx, w, "state", "show", "-no-color", "fleet_crp.web_2"); err != nil {
			return err
		}
	}
	title("Nothing is left to do: the plan is empty")
	if err := s.printAndRun(ctx, w, "plan", "-var=when_to_take_over=Always", "-no-color"); err != nil {
		return err
	}
	title("Destroying the placement: the pre-existing objects on member-2 remain")
	if err := s.printAndRun(ctx, w, "destroy", "-auto-approve", "-no-color", "-var=when_to_take_over=Always"); err != nil {
		return err
	}
	for _, cluster := range []string{"member-1", "member-2"} {
		if err := s.printObject(ctx, cluster, "apps/v1", "Deployment", "web-2", "web", "spec", "replicas"); err != nil {
			return err
		}
	}
	return s.restore(ctx)
}

// restore makes member-2 run the workload with 2 replicas again, without an owner: the next plan shows the conflict.
func (s *show) restore(ctx context.Context) error {
	client, err := s.client("member-2")
	if err != nil {
		return err
	}
	if err := client.Delete(ctx, "v1", "Namespace", "", "web-2"); err != nil {
		return err
	}
	return s.put(ctx, "member-2", "takeover", "member-2.yaml")
}

func (s *show) envelope(ctx context.Context) error {
	title("An envelope: a quota and a webhook configuration that must not take effect on the hub")
	if err := s.put(ctx, "hub", "envelope", "hub.yaml"); err != nil {
		return err
	}
	w, err := workspace.New(ctx, s.terraform, s.mirror, filepath.Join(s.root, "examples", "envelope"), filepath.Join(s.dir, "envelope"))
	if err != nil {
		return err
	}
	w.Env = append(w.Env, "TF_VAR_kubeconfig="+s.kubeconfig)
	if err := s.printAndRun(ctx, w, "apply", "-auto-approve", "-no-color"); err != nil {
		return err
	}
	title("The objects on member-1, and those on the hub")
	for _, object := range []struct{ cluster, apiVersion, kind, namespace, name string }{
		{"member-1", "v1", "ResourceQuota", "app", "mem-cpu-demo"},
		{"member-1", "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", "azure-wi-webhook-mutating-webhook-configuration"},
		{"member-1", "v1", "ConfigMap", "app", "envelope-configmap"},
		{"hub", "v1", "ResourceQuota", "app", "mem-cpu-demo"},
		{"hub", "v1", "ConfigMap", "app", "envelope-configmap"},
	} {
		if err := s.printObject(ctx, object.cluster, object.apiVersion, object.kind, object.namespace, object.name); err != nil {
			return err
		}
	}
	// The takeover demo registers member-1 with another name. It would fail the next time if this registration remained.
	_, err = w.Run(ctx, nil, "destroy", "-auto-approve", "-no-color")
	return err
}

// printAndRun prints a command and runs it.
func (s *show) printAndRun(ctx context.Context, w *workspace.Workspace, args ...string) error {
	fmt.Printf("\n$ terraform")
	for _, arg := range args {
		if arg != "-no-color" {
			fmt.Printf(" %s", arg)
		}
	}
	fmt.Print("\n\n")
	_, err := w.Run(ctx, os.Stdout, args...)
	return err
}

func (s *show) client(cluster string) (*fixture.Client, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: s.kubeconfig}, &clientcmd.ConfigOverrides{CurrentContext: cluster}).ClientConfig()
	if err != nil {
		return nil, err
	}
	return fixture.New(config)
}

func (s *show) put(ctx context.Context, cluster, example, file string) error {
	client, err := s.client(cluster)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(s.root, "examples", example, file))
	if err != nil {
		return err
	}
	return client.Create(ctx, text)
}

// printObject prints whether an object exists on a cluster, and one of its fields.
func (s *show) printObject(ctx context.Context, cluster, apiVersion, kind, namespace, name string, field ...string) error {
	client, err := s.client(cluster)
	if err != nil {
		return err
	}
	u, err := client.Get(ctx, apiVersion, kind, namespace, name)
	if err != nil {
		return err
	}
	found := "does not exist"
	if u != nil {
		found = "exists"
		if len(field) > 0 {
			value, _, _ := unstructured.NestedFieldNoCopy(u.Object, field...)
			found += fmt.Sprintf(", %s = %v", field[len(field)-1], value)
		}
	}
	fmt.Printf("%-10s %s %s %s\n", cluster, kind, name, found)
	return nil
}
