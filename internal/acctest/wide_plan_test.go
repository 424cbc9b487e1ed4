package acctest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	fleetprovider "github.com/terraform-fleet/terraform-provider-fleet/internal/provider"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// wideEngine is an engine with fifty clusters that all succeed.
type wideEngine struct {
	engine.Engine
	mu     sync.Mutex
	placed *engine.Placement
	// changed: the image on the hub has changed.
	changed bool
}

var web = manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}

func (*wideEngine) names() []string {
	var out []string
	for i := range 50 {
		out = append(out, fmt.Sprintf("member-%02d", i+1))
	}
	return out
}

func (*wideEngine) CheckPlacement(engine.Placement) []engine.Limitation { return nil }

func (*wideEngine) CheckChange(_, _ domain.Spec) []domain.Problem { return nil }

func (w *wideEngine) Preview(_ context.Context, p engine.Placement, _ engine.PreviewOptions) (*engine.Preview, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	object := engine.ObjectPreview{Identifier: web, Action: takeover.ActionCreate}
	switch {
	case w.placed == nil:
	case !w.changed:
		object.Action = takeover.ActionNone
	default:
		object.Action, object.Exists, object.Owned, object.Restart = takeover.ActionUpdate, true, true, workload.RestartRollout
		object.Differences = []diff.Difference{{
			Field: "spec.template.spec.containers[name=web].image", Path: "/spec/template/spec/containers/0/image",
			InHub: "nginx:1.29", InMember: "nginx:1.28", HasHub: true, HasMember: true,
		}}
	}
	out := &engine.Preview{Placement: p.Name, Selected: []manifest.Identifier{web}, Fulfilled: true}
	for _, name := range w.names() {
		out.Clusters = append(out.Clusters, engine.ClusterPreview{
			Name: name, Picked: true, Reason: "picked by scheduling policy", Cause: "picked by scheduling policy", CheckMethod: engine.CheckDryRun,
			Objects: []engine.ObjectPreview{object},
		})
	}
	return out, nil
}

func (w *wideEngine) ApplyPlacement(_ context.Context, p engine.Placement, _ engine.ApplyOptions) (*engine.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.placed = &p
	return &engine.Result{Status: w.status()}, nil
}

func (w *wideEngine) ReadPlacement(context.Context, engine.Placement) (*engine.Recorded, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.placed == nil {
		return nil, engine.ErrNotFound
	}
	return &engine.Recorded{ID: w.placed.ID, Spec: w.placed.Spec, Manifests: w.placed.Manifests, Status: w.status(), Complete: true}, nil
}

func (w *wideEngine) status() domain.Status {
	var outcomes []domain.ClusterOutcome
	for _, name := range w.names() {
		outcomes = append(outcomes, domain.ClusterOutcome{Name: name, Scheduled: true, Objects: 1, ResourceIndex: "0"})
	}
	return domain.NewStatus("", []manifest.Identifier{web}, outcomes, true, "0", 1)
}

// serve runs a provider with an engine in the test process, and returns the reattach configuration for Terraform.
func serve(t *testing.T, answers engine.Engine) string {
	t.Helper()
	connect := func(fleetprovider.Config) (session.Readers, engine.Engine, error) {
		return session.Readers{}, answers, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	found, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		server := providerserver.NewProtocol6(fleetprovider.New("test", connect)())
		err := tf6server.Serve("registry.terraform.io/terraform-fleet/fleet", server, tf6server.WithDebug(ctx, found, closed), tf6server.WithLoggingSink(t))
		if err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-closed
	})
	select {
	case at := <-found:
		text, err := json.Marshal(map[string]any{"registry.terraform.io/terraform-fleet/fleet": map[string]any{
			"Protocol": string(at.Protocol), "ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": true,
			"Addr": map[string]string{"Network": at.Addr.Network(), "String": at.Addr.String()},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return "TF_REATTACH_PROVIDERS=" + string(text)
	case <-time.After(time.Minute):
		t.Fatal("the provider has not started")
		return ""
	}
}

// change changes the image on the hub.
func (w *wideEngine) change() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = true
}

// The plan of a change on many clusters fits on a screen: it has one line for each cluster and few others.
func TestPlanOnFiftyClusters(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", `
provider "fleet" {
  engine  = "direct"
  members = { member-01 = { host = "https://member-01.invalid", token = "none" } }
}
resource "fleet_crp" "web" {
  name               = "web"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "web" }]
}
`)
	clusters := &wideEngine{}
	w.Env = append(w.Env, serve(t, clusters))
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")
	clusters.change()
	plan := must(t, w, "plan")
	harness.Golden(t, "image-on-50-clusters", plan)
	// Terraform's text before and after the resources is the same in every plan.
	_, resources, _ := strings.Cut(plan, "following actions:\n\n")
	resources, _, found := strings.Cut(resources, "\nPlan: 0 to add, 1 to change")
	if lines := strings.Count(resources, "\n"); lines > 70 || !found {
		t.Errorf("the plan has %d lines before the warning:\n%s", lines, plan)
	}
}
