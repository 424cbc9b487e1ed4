package crds_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{NoWorkloads: true}, &env))
}

// install installs the definitions on a hub and returns a client for the hub.
func install(t *testing.T) *fixture.Client {
	t.Helper()
	clusters.Need(t, env)
	hub, err := env.Client(env.Hub)
	if err != nil {
		t.Fatal(err)
	}
	definitions, err := crds.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range definitions {
		stored, err := hub.Add(t.Context(), definition, false)
		if apierrors.IsAlreadyExists(err) {
			t.Skipf("%s is there already: the definitions of a real hub stay as they are", definition.GetName())
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = hub.Drop(context.Background(), stored) })
	}
	for _, definition := range definitions {
		served(t, hub, definition)
	}
	return hub
}

// served waits until an API server serves the kind of a definition, and checks that it accepts the schema as structural.
func served(t *testing.T, hub *fixture.Client, definition *unstructured.Unstructured) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		stored, err := hub.Find(t.Context(), fixture.RefOf(definition))
		if err != nil || stored == nil {
			t.Fatal(stored, err)
		}
		conditions, _, _ := unstructured.NestedSlice(stored.Object, "status", "conditions")
		for _, item := range conditions {
			condition, _ := item.(map[string]any)
			switch fmt.Sprint(condition["type"], " ", condition["status"]) {
			case "Established True":
				return
			case "NonStructuralSchema True", "NamesAccepted False":
				t.Fatalf("%s: %v", definition.GetName(), condition["message"])
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not served: %v", definition.GetName(), conditions)
		}
	}
}

// An object that tests of another package are still deleting does not count as installed: Install waits for the deletion, and then creates the object.
func TestInstallOverDeletion(t *testing.T) {
	clusters.Need(t, env)
	hub := kube.NewCluster(env.Hub, connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: env.Hub},
		kube.Options{QPS: -1, Timeout: 10 * time.Second, FieldManager: "test"}, nil)
	defer hub.Close()
	client, err := env.Client(env.Hub)
	if err != nil {
		t.Fatal(err)
	}
	text := `{apiVersion: v1, kind: ConfigMap, metadata: {name: install-over-deletion, namespace: default, finalizers: [example.com/held]}}`
	left := add(t, client, text)
	release := func() error {
		return client.Merge(context.Background(), fixture.RefOf(left), []byte(`{"metadata":{"finalizers":null}}`), "", false)
	}
	t.Cleanup(func() { _ = release() })
	if err := hub.Delete(t.Context(), kube.RefOf(left), left.GetUID(), ""); err != nil {
		t.Fatal(err)
	}
	ours := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": left.GetName(), "namespace": left.GetNamespace()},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := fakehub.Install(ctx, hub, ours, kube.WriteOptions{}); err == nil {
		t.Error("an object that is being deleted counts as installed")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := fakehub.Install(t.Context(), hub, ours, kube.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	live, err := client.Find(t.Context(), fixture.RefOf(left))
	if err != nil || live == nil || live.GetUID() == left.GetUID() {
		t.Errorf("installed: %v, %v", live, err)
	}
}

const (
	placement = `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: p}, spec: %s}`
	web       = `{group: "", version: v1, kind: Namespace, name: web}`
	run       = `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterStagedUpdateRun, metadata: {name: r},
		spec: {placementName: p, stagedRolloutStrategyName: s}}`
)

// An API server accepts the definitions, sets their defaults, rejects invalid objects, and drops the fields that v1 does not have.
func TestRealAPIServer(t *testing.T) {
	hub := install(t)
	t.Run("defaults", func(t *testing.T) {
		stored := add(t, hub, fmt.Sprintf(placement, `{resourceSelectors: [`+web+`], strategy: {rollingUpdate: {}, applyStrategy: {}, deleteStrategy: {propagationPolicy: Abandon}}}`))
		got, _ := json.Marshal(stored.Object["spec"])
		want := `{"resourceSelectors":[{"group":"","kind":"Namespace","name":"web","selectionScope":"NamespaceWithResources","version":"v1"}],` +
			`"revisionHistoryLimit":10,"statusReportingScope":"ClusterScopeOnly","strategy":{"applyStrategy":{"comparisonOption":"PartialComparison",` +
			`"type":"ClientSideApply","whenToApply":"Always","whenToTakeOver":"Always"},"deleteStrategy":{"propagationPolicy":"Abandon"},` +
			`"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%","unavailablePeriodSeconds":60},"type":"RollingUpdate"}}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		// Even an update of a label through v1 drops the fields that v1 does not have.
		v1 := fixture.RefOf(stored)
		v1.APIVersion = "placement.kubernetes-fleet.io/v1"
		if err := hub.Merge(t.Context(), v1, []byte(`{"metadata":{"labels":{"a":"b"}}}`), "", false); err != nil {
			t.Fatal(err)
		}
		now, err := hub.Find(t.Context(), fixture.RefOf(stored))
		if err != nil {
			t.Fatal(err)
		}
		if _, found, _ := unstructured.NestedMap(now.Object, "spec", "strategy", "deleteStrategy"); found {
			t.Error("v1 keeps a field that it does not have")
		}
	})
	t.Run("changes", func(t *testing.T) {
		for _, test := range []struct{ object, patch, refusal string }{
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`], policy: {placementType: PickN, numberOfClusters: 1}}`),
				`{"spec":{"policy":{"placementType":"PickAll","numberOfClusters":null}}}`, "placement type is immutable"},
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`], policy: {}}`), `{"spec":{"policy":null}}`, "policy cannot be removed once set"},
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`]}`), `{"spec":{"policy":{"placementType":"PickN","numberOfClusters":2}}}`, ""},
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`]}`), `{"spec":{"statusReportingScope":"NamespaceAccessible"}}`, "statusReportingScope is immutable"},
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`], strategy: {type: External}}`), `{"spec":{"strategy":{"type":"RollingUpdate"}}}`,
				"cannot change rollout strategy type from 'External' to other types"},
			{fmt.Sprintf(placement, `{resourceSelectors: [`+web+`], strategy: {type: RollingUpdate}}`), `{"spec":{"strategy":{"type":"External"}}}`, ""},
			{run, `{"spec":{"state":"Stop"}}`, "invalid state transition: cannot transition from Initialize to Stop"},
			{run, `{"spec":{"state":"Run"}}`, ""},
			{run, `{"spec":{"placementName":"q"}}`, "placementName is immutable"},
			{`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacementDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 50%}}`,
				`{"spec":{"maxUnavailable":1}}`, "Both MaxUnavailable and MinAvailable cannot be specified"},
			{`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterStagedUpdateStrategy, metadata: {name: s}, spec: {stages: [{name: canary}]}}`,
				`{"spec":{"stages":[{"name":"canary","beforeStageTasks":[{"type":"TimedWait"}]}]}}`, "BeforeStageTaskType cannot be TimedWait"},
		} {
			stored := add(t, hub, test.object)
			refused(t, test.patch, hub.Merge(t.Context(), fixture.RefOf(stored), []byte(test.patch), "", true), test.refusal)
			if err := hub.Drop(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("imports", func(t *testing.T) {
		spec := domain.Spec{
			ResourceSelectors: []domain.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "web"}},
			Policy:            &domain.Policy{PlacementType: domain.PickAll},
			Strategy:          &domain.Strategy{RollingUpdate: &domain.RollingUpdate{MaxSurge: "25%"}},
		}
		object := v1beta1.ClusterResourcePlacement{Spec: convert.FromPlacementSpec(spec)}
		object.Name = "imported"
		u, err := codec.Encode(object, v1beta1.GroupVersion.WithKind(v1beta1.ClusterResourcePlacementKind))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := hub.As("ours").DryRun(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		if pruned := convert.Pruned(u, stored); len(pruned) > 0 {
			t.Errorf("the hub drops %v", pruned)
		}
		got, err := convert.ImportedPlacement(stored, "ours")
		if diff := cmp.Diff(spec, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
	t.Run("recorded", func(t *testing.T) { recorded(t, hub) })
}

// recorded repeats the creations of KubeFleet's objects that were recorded on a real hub. The API server must reject the objects that the hub's schema
// rejected, with the same message, and accept all others. recorded omits the requests that the hub's webhooks rejected.
func recorded(t *testing.T, hub *fixture.Client) {
	data, err := os.ReadFile(filepath.Join(crds.Reference(t, "recordings", "kubefleet"), "admission.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	add(t, hub, `{apiVersion: v1, kind: Namespace, metadata: {name: t-a01}}`)
	for line := range bytes.Lines(data) {
		var entry struct {
			ID, Op, Message string
			Accepted        bool
			Sent            map[string]any
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		object := &unstructured.Unstructured{Object: entry.Sent}
		ofSchema := strings.HasPrefix(entry.Message, object.GetKind()+".")
		if entry.Op != "create" || !strings.Contains(object.GetAPIVersion(), "kubernetes-fleet.io") || !entry.Accepted && !ofSchema {
			continue
		}
		if selectors, _, _ := unstructured.NestedSlice(entry.Sent, "spec", "resourceSelectors"); ofSchema {
			// On the real hub, a webhook had set a missing group before the validation.
			for _, selector := range selectors {
				if fields, is := selector.(map[string]any); is && fields["group"] == nil {
					fields["group"] = ""
				}
			}
			if selectors != nil {
				_ = unstructured.SetNestedSlice(entry.Sent, selectors, "spec", "resourceSelectors")
			}
		}
		_, err := hub.Add(t.Context(), object, true)
		refused(t, entry.ID, err, entry.Message)
	}
}

func refused(t *testing.T, what string, err error, message string) {
	t.Helper()
	switch {
	case message == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case message != "" && (err == nil || !strings.Contains(err.Error(), message)):
		t.Errorf("%s: got  %v\nwant %s", what, err, message)
	}
}

func add(t *testing.T, hub *fixture.Client, text string) *unstructured.Unstructured {
	t.Helper()
	objects, err := fixture.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := hub.Add(t.Context(), objects[0], false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hub.Drop(context.Background(), stored) })
	return stored
}
