package convert

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const ofAzure = `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: member-1
  labels: {team: web, fleet.azure.com/location: westeurope}
  annotations: {fleet.azure.com/cluster-resource-id: /subscriptions/a}
  managedFields:
    - {manager: azure, operation: Update, fieldsV1: {f:metadata: {f:annotations: {}}, f:spec: {f:identity: {}}}}
spec:
  identity: {kind: User, name: azure}
  heartbeatPeriodSeconds: 15
  taints: [{key: a, effect: NoSchedule}]
  deleteOptions: {validationMode: Strict}
`

func live(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: parse[map[string]any](t, text)}
}

// TestAdoptedMember checks that only the configured fields of a member that another system has created are applied and read.
func TestAdoptedMember(t *testing.T) {
	azure := live(t, ofAzure)
	for name, c := range map[string]struct{ written, applied, read string }{
		"nothing": {"name: member-1", "{}", "name: member-1"},
		"a label": {
			"{name: member-1, labels: {team: shop}}", "metadata: {labels: {team: shop}}", "{name: member-1, labels: {team: web}}",
		},
		"a taint": {
			"{name: member-1, taints: [{key: b, effect: NoSchedule}], annotations: {note: a}}",
			"{metadata: {annotations: {note: a}}, spec: {taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoSchedule}]}}",
			"{name: member-1, taints: []}",
		},
		"the taint of another system": {
			"{name: member-1, taints: [{key: a, effect: NoSchedule}]}", "{spec: {taints: [{key: a, effect: NoSchedule}]}}",
			"{name: member-1, taints: [{key: a, effect: NoSchedule}]}",
		},
	} {
		written := parse[member.Spec](t, c.written)
		written.AdoptExisting = new(true)
		got, err := AdoptedMember(written, nil, azure, "ours")
		want := parse[map[string]any](t, c.applied)
		if want["metadata"] == nil {
			want["metadata"] = map[string]any{}
		}
		want["apiVersion"], want["kind"] = azure.GetAPIVersion(), azure.GetKind()
		want["metadata"].(map[string]any)["name"] = "member-1"
		if diff := cmp.Diff(want, got.Object); diff != "" || err != nil {
			t.Error(name, err, diff)
		}
		decoded, err := codec.Decode[clusterv1beta1.MemberCluster](azure)
		if err != nil {
			t.Fatal(err)
		}
		read := parse[member.Spec](t, c.read)
		read.AdoptExisting = new(true)
		back, err := MemberAsWritten(ToMember(*decoded), &written)
		if diff := cmp.Diff(read, back); diff != "" || err != nil {
			t.Error(name, err, diff)
		}
	}
}

// A taint that is no longer configured is removed, and the taints of others stay, although the manager owns the whole list.
func TestAdoptedMemberKeepsTaintsOfOthers(t *testing.T) {
	u := live(t, ofAzure)
	a, b := member.Taint{Key: "a", Effect: placement.NoSchedule}, member.Taint{Key: "b", Effect: placement.NoSchedule}
	u.Object["spec"].(map[string]any)["taints"] = []any{map[string]any{"key": "a", "effect": "NoSchedule"}, map[string]any{"key": "b", "effect": "NoSchedule"}}
	u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{
		"manager": "ours", "operation": "Apply", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:taints": map[string]any{}}},
	}}
	for name, c := range map[string]struct{ before, written, applied []member.Taint }{
		"removed":             {[]member.Taint{b}, nil, []member.Taint{a}},
		"removed before":      {nil, nil, []member.Taint{a, b}},
		"every one removed":   {[]member.Taint{a, b}, nil, nil},
		"replaced by another": {[]member.Taint{b}, []member.Taint{{Key: "c", Effect: placement.NoSchedule}}, []member.Taint{a, {Key: "c", Effect: placement.NoSchedule}}},
	} {
		got, err := AdoptedMember(member.Spec{Name: "member-1", Taints: c.written}, c.before, u, "ours")
		if err != nil {
			t.Fatal(err)
		}
		stored, err := codec.Decode[clusterv1beta1.MemberCluster](got)
		if err != nil {
			t.Fatal(err)
		}
		if applied := ToMember(*stored).Taints; !slices.Equal(applied, c.applied) {
			t.Errorf("%s: applied %v, want %v", name, applied, c.applied)
		}
	}
}

// A member that the provider has managed as a whole before keeps its identity, which has no other owner.
func TestAdoptedMemberKeepsItsIdentity(t *testing.T) {
	u := live(t, ofAzure)
	got, err := AdoptedMember(member.Spec{Name: "member-1"}, nil, u, "azure")
	kind, _, _ := unstructured.NestedString(got.Object, "spec", "identity", "kind")
	if err != nil || kind != "User" {
		t.Error(err, got)
	}
}

// The import of a member created by Azure adopts it, with the fields that the provider has applied.
func TestImportedMemberOfAzure(t *testing.T) {
	u := live(t, ofAzure)
	for manager, want := range map[string]member.Spec{
		"somebody": {Name: "member-1", AdoptExisting: new(true)},
		"ours":     {Name: "member-1", AdoptExisting: new(true), Labels: map[string]string{"team": "web"}},
	} {
		u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{
			"manager": "ours", "operation": "Apply",
			"fieldsV1": map[string]any{"f:metadata": map[string]any{"f:labels": map[string]any{"f:team": map[string]any{}}}},
		}}
		got, err := ImportedMember(u, manager)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(manager, err, diff)
		}
	}
}
