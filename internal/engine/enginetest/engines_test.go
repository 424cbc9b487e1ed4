package enginetest_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var update = flag.Bool("update", false, "regenerate the table of the guide")

// The guide lists for every example whether each engine accepts it.
func TestExamplesOfEveryEngine(t *testing.T) {
	t.Parallel()
	cluster := func(name string) *kube.Cluster {
		return kube.NewCluster(name, connection.Connection{Host: "https://127.0.0.1:1", Token: "none"}, kube.Options{}, nil)
	}
	set := clusterset.New(cluster("hub"), map[string]*kube.Cluster{"member-1": cluster("member-1"), "member-2": cluster("member-2")}, 0)
	hub, err := kubefleet.New(set)
	if err != nil {
		t.Fatal(err)
	}
	host, err := kubeadmiral.New(set)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| example | `direct` | `kubefleet` | `kubeadmiral` |\n|---|---|---|---|\n")
	for _, example := range enginetest.Examples() {
		fmt.Fprintf(&b, "| %s ", example.Name)
		for _, e := range []engine.Engine{direct.New(set, "test"), hub, host} {
			b.WriteString("| " + verdict(e, example) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString("| a workload that runs on a member, federated ")
	for _, e := range []engine.Engine{direct.New(set, "test"), hub, host} {
		b.WriteString("| " + federated(e) + " ")
	}
	b.WriteString("|\n")
	documents.Table(t, "templates/guides/kubeadmiral.md", "examples", b.String(), *update)
}

// federated describes how an engine places the copy of a workload under IfNoDiff on one cluster: from manifests of the placement, or from an envelope on the
// hub.
func federated(e engine.Engine) string {
	example := enginetest.Example{Spec: placement.Spec{
		Policy:   &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}},
		Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff}},
	}}
	copied := map[string]string{"my-nginx": "{apiVersion: v1, kind: Service, metadata: {name: my-nginx, namespace: my-nginx}, spec: {ports: [{port: 80}]}}"}
	found := e.CheckPlacement(engine.Placement{Reference: engine.Reference{Name: "example"}, Spec: example.Spec, Manifests: copied})
	if len(found) == 0 {
		return "yes"
	}
	example.Spec.ResourceSelectors = []placement.ResourceSelector{{
		Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: "ResourceEnvelope", Name: "my-nginx",
	}}
	example.Envelope = &envelope.Spec{Name: "my-nginx", Namespace: "my-nginx", Manifests: copied}
	if said := verdict(e, example); said != "yes" {
		return said
	}
	return "yes, in an envelope"
}

// verdict returns what an engine reports about an example without reading any cluster: accepted, possibly with arguments that have no effect, or rejected with
// the reason.
func verdict(e engine.Engine, example enginetest.Example) string {
	found := e.CheckPlacement(engine.Placement{Reference: engine.Reference{Name: "example"}, Spec: example.Spec})
	if example.Envelope != nil {
		for _, l := range e.CheckEnvelope(*example.Envelope) {
			return "no: " + l.Message
		}
	}
	var ignored []string
	for _, l := range found {
		if !l.Ignored {
			return fmt.Sprintf("no, `%s`: %s", l.Path, l.Message)
		}
		ignored = append(ignored, "`"+l.Path.String()+"`")
	}
	if len(ignored) > 0 {
		return "yes; ignores " + strings.Join(ignored, ", ")
	}
	return "yes"
}
