package kubefleet_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// azureMember is a member as Azure creates it.
const azureMember = `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: $ns
  labels: {fleet.azure.com/location: westeurope, team: azure}
  annotations: {fleet.azure.com/cluster-resource-id: /subscriptions/a/managedClusters/b}
spec: {identity: {kind: User, name: azure}, heartbeatPeriodSeconds: 15, taints: [{key: azure, effect: NoSchedule}]}`

// On a member created by Azure, the engine adds and removes only the configured fields. All other fields remain.
func TestAdoptedMember(t *testing.T) {
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	e := w.Engine()
	adopts := func(change func(*member.Spec)) engine.Member {
		out := engine.Member{Spec: member.Spec{Name: w.Name, AdoptExisting: new(true)}}
		change(&out.Spec)
		return out
	}
	nothing := adopts(func(*member.Spec) {})
	if _, err := e.ApplyMember(w.Context(), nothing, nil); err == nil {
		t.Fatal("a member is adopted that does not exist")
	}
	w.Put(w.Env.Hub, azureMember)
	t.Cleanup(func() { endMember(w) })
	_, err := e.ApplyMember(w.Context(), engine.Member{Spec: member.Spec{Name: w.Name}}, nil)
	if exists, is := errors.AsType[*engine.ExistsError](err); !is || !exists.Adoptable {
		t.Errorf("the member of another system is registered: %v", err)
	}
	is := func(step string, labels map[string]string, want ...string) {
		t.Helper()
		live := w.Must(w.Env.Hub, "cluster.kubernetes-fleet.io/v1beta1 MemberCluster "+w.Name)
		got := maps.Clone(live.GetLabels())
		delete(got, "kubernetes-fleet.io/member-name")
		labels["fleet.azure.com/location"] = "westeurope"
		taints, _, _ := unstructured.NestedSlice(live.Object, "spec", "taints")
		identity, _, _ := unstructured.NestedString(live.Object, "spec", "identity", "name")
		heartbeat, _, _ := unstructured.NestedInt64(live.Object, "spec", "heartbeatPeriodSeconds")
		if !maps.Equal(got, labels) || identity != "azure" || heartbeat != 15 {
			t.Errorf("%s: %v, identity %q, heartbeat %d", step, got, identity, heartbeat)
		}
		var keys []string
		for _, one := range taints {
			key, _, _ := unstructured.NestedString(one.(map[string]any), "key")
			keys = append(keys, key)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: the taints are %v, want %v", step, keys, want)
		}
	}
	apply := func(want engine.Member, prior *engine.Member) engine.Member {
		t.Helper()
		applied, err := e.ApplyMember(w.Context(), want, prior)
		if err != nil {
			t.Fatal(err)
		}
		read, err := e.ReadMember(w.Context(), w.Name, &applied)
		if err != nil {
			t.Fatal(err)
		}
		if read.Spec.Identity != nil || read.Spec.HeartbeatPeriodSeconds != nil || !maps.Equal(read.Spec.Labels, want.Spec.Labels) {
			t.Errorf("read back: %+v", read.Spec)
		}
		return applied
	}
	first := apply(adopts(func(s *member.Spec) { s.Labels = map[string]string{"env": "test"} }), nil)
	is("adopted", map[string]string{"team": "azure", "env": "test"}, "azure")
	second := apply(adopts(func(s *member.Spec) {
		s.Labels, s.Taints = map[string]string{"tier": "a"}, []member.Taint{{Key: "ours", Effect: placement.NoSchedule}}
	}), &first)
	is("changed", map[string]string{"team": "azure", "tier": "a"}, "azure", "ours")
	imported, err := e.ReadMember(w.Context(), w.Name, nil)
	if err != nil || !imported.Spec.Adopts() || !maps.Equal(imported.Spec.Labels, second.Spec.Labels) || len(imported.Spec.Taints) != 2 {
		t.Errorf("imported: %+v, %v", imported.Spec, err)
	}
	w.Edit(w.Env.Hub, "cluster.kubernetes-fleet.io/v1beta1 MemberCluster "+w.Name, "{spec: {taints: [{key: ours, effect: NoSchedule}, {key: azure-2, effect: NoSchedule}]}}")
	if read, err := e.ReadMember(w.Context(), w.Name, &second); err != nil || len(read.Spec.Taints) != 1 || read.Spec.Taints[0].Key != "ours" {
		t.Errorf("read beside another taint: %+v, %v", read.Spec, err)
	}
	third := apply(adopts(func(s *member.Spec) { s.Taints = []member.Taint{{Key: "other", Effect: placement.NoSchedule}} }), &second)
	is("beside another taint", map[string]string{"team": "azure"}, "azure-2", "other")
	if err := e.DeleteMember(w.Context(), third); err != nil {
		t.Fatal(err)
	}
	is("released", map[string]string{"team": "azure"}, "azure-2")
}

// endMember removes a member that the engine does not remove, and waits until the hub has deleted it. A real hub waits minutes for the member agent to leave.
// The member has no agent, so the test reports in its place that the member has left.
func endMember(w *enginetest.World) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ref := w.Ref(w.Env.Hub, "cluster.kubernetes-fleet.io/v1beta1 MemberCluster "+w.Name)
	client := w.On(w.Env.Hub)
	for ; ; time.Sleep(100 * time.Millisecond) {
		u, err := client.Find(ctx, ref)
		if err == nil && u == nil {
			return
		}
		switch {
		case err != nil:
		case u.GetDeletionTimestamp() == nil:
			err = client.Drop(ctx, u)
		case agents == nil:
			err = leave(ctx, client, w.Name)
		}
		if err != nil {
			w.Error(err)
			return
		}
	}
}

// leave reports to a real hub that the agent of a member has left.
func leave(ctx context.Context, hub *fixture.Client, name string) error {
	ref := fixture.Ref{APIVersion: "cluster.kubernetes-fleet.io/v1beta1", Kind: "InternalMemberCluster", Namespace: "fleet-member-" + name, Name: name}
	u, err := hub.Find(ctx, ref)
	if err != nil || u == nil {
		return err
	}
	left := condition("Joined", "False", "InternalMemberClusterLeft")
	err = hub.Merge(ctx, ref, []byte(`{"status":{"agentStatus":[{"type":"MemberAgent","conditions":[`+left+`]}]}}`), "status", false)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
