package kubeadmiral_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestKeysOfOthers checks that a plan returns an error for labels and annotations of other field managers, on objects or in manifests, that would make the
// host deviate from the placement. The most important of these let the host take over objects that the placement does not take over.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	for name, metadata := range map[string]string{
		"adoption":  `annotations: {kubeadmiral.io/conflict-resolution: adopt, kubeadmiral.io/clusters-to-adopt: '{"regexp": ".*"}'}`,
		"affinity":  `annotations: {kubeadmiral.io/affinity: '{}'}`,
		"dry run":   `annotations: {kubeadmiral.io/dry-run: "true"}`,
		"overrides": `labels: {kubeadmiral.io/override-policy-name: other}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 1)
			text := "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app, " + metadata + "}, data: {a: b}}"
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}\n---\n"+text)
			if _, err := selecting(w).Preview(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "overrides the placement on the host cluster") {
				t.Errorf("selected: %v", err)
			}
			made := w.Placing("$ns-app", strings.Replace(text, "name: settings", "name: made", 1))
			if _, err := made.Preview(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "Remove it from the manifest") {
				t.Errorf("made: %v", err)
			}
		})
	}
}

// hubOf returns the test's client of the host.
func hubOf(w *enginetest.World) enginetest.Clients {
	return w.Fleet.Connect(w.Members, enginetest.Access{Kubeconfig: w.Env.Kubeconfig, WithHub: true})
}

// TestClaimedMeanwhile checks that an object keeps its label if another placement has claimed the object since it was read, and that the removal of this
// placement does not release it.
func TestClaimedMeanwhile(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, settings)
	clients := hubOf(w)
	t.Cleanup(clients.Close)
	before := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings")
	labelled := func() *unstructured.Unstructured { return w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings") }
	w.Edit(w.Env.Hub, "v1 ConfigMap $ns-app/settings", "{metadata: {labels: {"+v1alpha1.PolicyLabel+": other}}}")
	of := engine.Reference{Name: w.Name}
	keys, err := convert.KeysOf("", w.Name, placement.Spec{}, convert.Adoption{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Key(w.Context(), clients.Hub, of, before, keys); err == nil || !strings.Contains(err.Error(), `the policy "other"`) {
		t.Errorf("%v", err)
	}
	release := host.Release{Host: clients.Hub, Of: of, Orphan: v1alpha1.OrphanAdopted}
	if err := release.Object(w.Context(), labelled(), false); err != nil {
		t.Error(err)
	}
	if labels := labelled().GetLabels(); labels[v1alpha1.PolicyLabel] != "other" || labels[v1alpha1.ClusterPolicyLabel] != "" {
		t.Errorf("%v", labels)
	}
}

// TestOwnClaimedMeanwhile checks that an apply does not write an object that the provider has created, if another placement claims the object immediately
// before the write.
func TestOwnClaimedMeanwhile(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	request := requestOf(w, map[string]string{"a": "1"}, nil, placement.Strategy{})
	request = request.After(applied(t, w, request).Status)
	const object = "v1 ConfigMap $ns/a"
	undo := w.Inject(clusters.Fault{
		Context: w.Env.Hub, Times: 1,
		Match: func(r clusters.Request) bool {
			return r.Method == http.MethodPatch && !r.DryRun && strings.HasSuffix(r.Path, w.Expand("$ns/configmaps/a"))
		},
		Hook: func(clusters.Request) {
			w.Edit(w.Env.Hub, object, "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": other}}}")
		},
	})
	changed := request.With(requestOf(w, map[string]string{"a": "2"}, nil, placement.Strategy{}).Manifests)
	_, err := changed.Apply(w.Context(), w.Engine())
	undo()
	if err == nil || !strings.Contains(err.Error(), `the policy "other"`) {
		t.Errorf("the apply returns %v", err)
	}
	live := w.Must(w.Env.Hub, object)
	if value, label := w.Value(w.Env.Hub, object, "data", "value"), live.GetLabels()[v1alpha1.ClusterPolicyLabel]; value != "1" || label != "other" {
		t.Errorf("the object of the other placement has the value %v and the label %q", value, label)
	}
	w.Edit(w.Env.Hub, object, "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": "+request.Name+"}}}")
	w.Delete(request)
}

// TestRecreatedMeanwhile checks that an apply does not write an object that others recreate immediately before the write, and that scheduling does not remain
// suspended because of this.
func TestRecreatedMeanwhile(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	policy := func(count int) *placement.Policy {
		return &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:count]}
	}
	request := requestOf(w, map[string]string{"a": "1", "b": "1"}, policy(1), placement.Strategy{})
	applied(t, w, request)
	const object = "v1 ConfigMap $ns/a"
	undo := w.Inject(clusters.Fault{
		Context: w.Env.Hub, Times: 1,
		Match: func(r clusters.Request) bool {
			return r.Method == http.MethodPatch && !r.DryRun && strings.HasSuffix(r.Path, w.Expand("$ns/configmaps/a"))
		},
		Hook: func(clusters.Request) {
			w.Remove(w.Env.Hub, object)
			w.AwaitGone(w.Env.Hub, object)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns, labels: {"+v1alpha1.ClusterPolicyLabel+": "+request.Name+"}}, data: {value: theirs}}")
		},
	})
	changed := requestOf(w, map[string]string{"a": "2", "b": "1"}, policy(2), placement.Strategy{})
	changed.Again, changed.Prior = true, request.Prior
	_, err := changed.Apply(w.Context(), w.Engine())
	undo()
	if err == nil || !strings.Contains(err.Error(), "was recreated since it was read") || strings.Contains(err.Error(), "cannot be kept on its current clusters") {
		t.Errorf("the apply returns %v", err)
	}
	if value := w.Value(w.Env.Hub, object, "data", "value"); value != "theirs" {
		t.Errorf("the recreated object has the value %v", value)
	}
}

// If another user creates an object on the host with the name of a deleted object of the provider, an apply does not overwrite it, and it remains after the
// removal.
func TestObjectOfOthersByTheSameName(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const object = "v1 ConfigMap $ns/made"
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: $ns}, data: {a: ours}}")
	again := request.After(applied(t, w, request).Status)
	w.Remove(w.Env.Hub, object)
	w.AwaitGone(w.Env.Hub, object)
	w.PutAs(w.Env.Hub, "kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: $ns}, data: {a: theirs}}")
	if _, err := again.Preview(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "this placement did not create it") {
		t.Errorf("%v", err)
	}
	w.Delete(again)
	if got := w.Value(w.Env.Hub, object, "data", "a"); got != "theirs" {
		t.Errorf("the object of another client is %v", got)
	}
}

// TestUnretainable checks that a plan returns an error if an object has the annotation retain-replicas, and its FederatedTypeConfig does not have the path of
// the replicas: every update by the host would fail.
func TestUnretainable(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	retained := strings.NewReplacer("kind: Deployment", "kind: StatefulSet",
		"name: my-nginx, namespace: $ns}", "name: my-nginx, namespace: $ns, annotations: {kubeadmiral.io/retain-replicas: 'true'}}").Replace(nginxOf("nginx"))
	_, err := w.Placing("$ns", retained).Preview(w.Context(), w.Engine())
	if err == nil || !strings.Contains(err.Error(), "the FederatedTypeConfig statefulsets.apps has no spec.pathDefinition.replicasSpec") {
		t.Errorf("%v", err)
	}
}

// A host sends an autoscaler to members only as a follower of its workload, so the plan returns an error for a placement with both.
func TestAutoscaler(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const autoscaler = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: it, namespace: $ns}, spec: {maxReplicas: 3, scaleTargetRef: " +
		"{apiVersion: apps/v1, kind: Deployment, name: my-nginx}}}"
	_, err := w.Placing("$ns", nginxOf("nginx"), autoscaler).Preview(w.Context(), w.Engine())
	if err == nil || !strings.Contains(err.Error(), "only as a follower of its workload") || !strings.Contains(err.Error(), "Omit it (leave_out") {
		t.Errorf("%v", err)
	}
	if _, err := w.Placing("$ns", autoscaler).Preview(w.Context(), w.Engine()); err != nil {
		t.Errorf("without the workload: %v", err)
	}
}

// For an object of a kind that the host does not place, the plan returns an error that names the missing FederatedTypeConfig.
func TestUnplaceableKind(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	_, err := w.Placing("$ns", "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: it, namespace: $ns}}").Preview(w.Context(), w.Engine())
	if err == nil {
		t.Fatal("it was planned")
	}
	w.Contains(err.Error(), w.Expand("Lease $ns/it: the host cluster places no objects of kind Lease in coordination.k8s.io/v1. Create a FederatedTypeConfig for the kind"))
}

// The plan returns an error for labels and annotations because of which a host assigns an object to another policy, or does not write it.
func TestSteeringLabels(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	for _, metadata := range []string{
		"labels: {kubeadmiral.io/propagation-policy-name: other}", "labels: {kubeadmiral.io/managed: 'false'}",
		"annotations: {kubeadmiral.io/no-federated-resource: 'true'}",
	} {
		_, err := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns, "+metadata+"}}").Preview(w.Context(), w.Engine())
		if err == nil || !strings.Contains(err.Error(), "Remove it from the manifest") {
			t.Errorf("%s: %v", metadata, err)
		}
	}
}
