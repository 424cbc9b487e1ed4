package kubefleet_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestContract(t *testing.T) { enginetest.Test(t, subject, fleet) }

// brief are the cases that depend on the hub and its agents: on the order of writes, on rejections, and on how the hub receives the change. The tests of the
// direct engine cover the code for decisions that an agent makes alone.
var brief = []string{
	"D1 absent",
	"D3-422 Always, the apply after the takeover is not accepted",
	"D5 IfNoDiff, differences",
	"D13 KubeFleet's own",
	"D22 being deleted",
	"D23 server-side apply against other managers",
	"R3 Never, differences",
	"R4 Never, the dry run is refused as invalid",
	"example: PickN with affinities, and too few that match",
	"example: a pre-existing workload, IfNoDiff",
	"example: an envelope",
	"identity",
}

// kept are manifests of the objects in which the engine stores each noun on the hub.
var kept = map[enginetest.Noun]string{
	enginetest.Member: "{apiVersion: cluster.kubernetes-fleet.io/v1beta1, kind: MemberCluster, metadata: {name: $ns}, " +
		"spec: {identity: {kind: User, name: $ns, apiGroup: rbac.authorization.k8s.io}}}",
	enginetest.ClusterPlacement: "{apiVersion: " + hubKinds + ", kind: ClusterResourcePlacement, metadata: {name: $ns}, spec: {policy: {placementType: PickN, " +
		"numberOfClusters: 0}, resourceSelectors: [{group: '', version: v1, kind: Namespace, name: $ns}]}}",
	enginetest.NamespacedPlacement: "{apiVersion: " + hubKinds + ", kind: ResourcePlacement, metadata: {name: $ns, namespace: $ns}, spec: {policy: {placementType: " +
		"PickN, numberOfClusters: 0}, resourceSelectors: [{group: '', version: v1, kind: ConfigMap, name: none}]}}",
	enginetest.Envelope: "{apiVersion: " + hubKinds + ", kind: ResourceEnvelope, metadata: {name: $ns, namespace: $ns}, data: {quota.yaml: {apiVersion: v1, " +
		"kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: '5'}}}}}",
	enginetest.ClusterOverride: "{apiVersion: " + hubKinds + ", kind: ClusterResourceOverride, metadata: {name: $ns}, spec: {clusterResourceSelectors: " +
		"[{group: '', version: v1, kind: Namespace, name: none}], " + rules + "}}",
	enginetest.NamespacedOverride: "{apiVersion: " + hubKinds + ", kind: ResourceOverride, metadata: {name: $ns, namespace: $ns}, spec: {resourceSelectors: " +
		"[{group: '', version: v1, kind: ConfigMap, name: none}], " + rules + "}}",
	enginetest.ClusterStrategy:    "{apiVersion: " + hubKinds + ", kind: ClusterStagedUpdateStrategy, metadata: {name: $ns}, spec: {stages: [{name: all}]}}",
	enginetest.NamespacedStrategy: "{apiVersion: " + hubKinds + ", kind: StagedUpdateStrategy, metadata: {name: $ns, namespace: $ns}, spec: {stages: [{name: all}]}}",
	enginetest.ClusterRun: "{apiVersion: " + hubKinds + ", kind: ClusterStagedUpdateRun, metadata: {name: $ns}, spec: {placementName: none, " +
		"stagedRolloutStrategyName: none}}",
	enginetest.NamespacedRun: "{apiVersion: " + hubKinds + ", kind: StagedUpdateRun, metadata: {name: $ns, namespace: $ns}, spec: {placementName: none, " +
		"stagedRolloutStrategyName: none}}",
	enginetest.Budget: "{apiVersion: " + hubKinds + ", kind: ClusterResourcePlacementDisruptionBudget, metadata: {name: $ns}, spec: {minAvailable: 1}}",
}

const rules = "policy: {overrideRules: [{overrideType: Delete}]}"

const hubKinds = "placement.kubernetes-fleet.io/v1beta1"

// supply puts manifests into an envelope for each namespace, and creates the namespaces on the hub. It uses envelopes because a hub would run workloads, and
// place the additional objects that they create.
func supply(w *enginetest.World, request enginetest.Request) enginetest.Supplied {
	w.Helper()
	envelopes := map[string]envelope.Spec{w.Name: {Name: request.Name, Namespace: w.Name}}
	namespaces := map[string]string{w.Name: w.Expand("{apiVersion: v1, kind: Namespace, metadata: {name: $ns, labels: {case: $ns}}}")}
	clusterScoped := map[string]string{}
	for key, text := range request.Manifests {
		objects, err := fixture.Parse([]byte(text))
		if err != nil || len(objects) != 1 {
			w.Fatalf("%d objects, %v, in\n%s", len(objects), err, text)
		}
		u := objects[0]
		if u.GetNamespace() == "" {
			clusterScoped[key] = text
			continue
		}
		spec := envelopes[u.GetNamespace()]
		if spec.Manifests == nil {
			spec = envelope.Spec{Name: request.Name, Namespace: u.GetNamespace(), Manifests: map[string]string{}}
		}
		spec.Manifests[key] = text
		envelopes[u.GetNamespace()] = spec
	}
	for key, text := range clusterScoped {
		var u struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(text), &u); err != nil {
			w.Fatal(err)
		}
		if _, has := envelopes[u.Metadata.Name]; has && u.Kind == "Namespace" {
			namespaces[u.Metadata.Name] = text // for the envelope in it
			continue
		}
		own := envelopes[w.Name]
		if own.Manifests == nil {
			own.Manifests = map[string]string{}
		}
		own.Manifests[key] = text
		envelopes[w.Name] = own
	}
	return place(w, request, envelopes, namespaces)
}

// place returns a request for namespaces with the envelopes in them.
func place(w *enginetest.World, request enginetest.Request, envelopes map[string]envelope.Spec, namespaces map[string]string) enginetest.Supplied {
	w.Helper()
	past := w.Past()
	request.Manifests = nil
	request.World.Envelopes = map[engine.Reference]engine.Planned[envelope.Spec]{}
	seen := map[string]bool{}
	for _, namespace := range slices.Sorted(maps.Keys(envelopes)) {
		spec := envelopes[namespace]
		if text, known := namespaces[namespace]; known {
			putOnce(w, text)
		} else {
			putOnce(w, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace))
		}
		selectors := []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: namespace}}
		if len(spec.Manifests) > 0 {
			request.World.Envelopes[engine.Reference{Namespace: namespace, Name: spec.Name}] = engine.Planned[envelope.Spec]{Want: &spec}
			selectors, _, _ = past.EnvelopeSelectors(w.Context(), spec)
		}
		for _, s := range selectors {
			if key := fmt.Sprint(s); !seen[key] {
				seen[key] = true
				request.Spec.ResourceSelectors = append(request.Spec.ResourceSelectors, s)
			}
		}
	}
	planned := request.World.Envelopes
	return enginetest.Supplied{Request: request, Put: func(ctx context.Context) error {
		for reference, spec := range planned {
			prior, err := past.ReadEnvelope(ctx, reference, nil)
			before := &prior
			if errors.Is(err, engine.ErrNotFound) {
				before, err = nil, nil
			}
			if err == nil {
				_, err = past.ApplyEnvelope(ctx, *spec.Want, before)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}}
}

// putOnce creates an object on the hub if it does not exist.
func putOnce(w *enginetest.World, text string) {
	w.Helper()
	if err := w.On(w.Env.Hub).Create(w.Context(), []byte(text)); err != nil {
		w.Fatal(err)
	}
}

// work creates a Work without objects.
func work(w *enginetest.World, member, name string) {
	w.Helper()
	object := fmt.Sprintf("%s Work fleet-member-%s/%s", hubKinds, member, name)
	w.Put(w.Env.Hub, fmt.Sprintf("{apiVersion: %s, kind: Work, metadata: {name: %s, namespace: fleet-member-%s}, spec: {workload: {manifests: []}, "+
		"applyStrategy: {type: ClientSideApply, whenToTakeOver: Never, whenToApply: Always, comparisonOption: PartialComparison}}}", hubKinds, name, member))
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		ref := fixture.ParseRef(object)
		u, err := w.On(w.Env.Hub).Find(ctx, ref)
		if err == nil && u != nil {
			err = w.On(w.Env.Hub).Drop(ctx, u)
		}
		if err != nil {
			w.Error(err)
		}
	})
}

// tidy deletes a placement and its ClusterResourceEnvelope from the hub. On clusters that do not end with the tests, it also deletes the Namespace of the
// world.
func tidy(ctx context.Context, w *enginetest.World, name string) error {
	if agents != nil && w.Env.Disposable() {
		agents.Abandon(name)
	}
	var errs []error
	made := []fixture.Ref{
		{APIVersion: hubKinds, Kind: "ClusterResourcePlacement", Name: name},
		{APIVersion: hubKinds, Kind: "ClusterResourceEnvelope", Name: name},
	}
	if !w.Env.Disposable() {
		made = append(made, fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: w.Name})
	}
	for _, ref := range made {
		u, err := w.On(w.Env.Hub).Find(ctx, ref)
		if err == nil && u != nil {
			err = w.On(w.Env.Hub).Drop(ctx, u)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
