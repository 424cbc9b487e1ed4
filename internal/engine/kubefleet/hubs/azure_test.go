package hubs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// azureMember is a member as Azure creates it.
const azureMember = `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: member-1
  labels:
    fleet.azure.com/location: eastus
    fleet.azure.com/resource-group: platform
    fleet.azure.com/subscription-id: 00000000-0000-0000-0000-000000000000
    fleet.azure.com/member-name: member-1
    environment: production
  annotations:
    fleet.azure.com/cluster-resource-id: /subscriptions/0/resourceGroups/platform/providers/Microsoft.ContainerService/managedClusters/member-1
    fleet.azure.com/cluster-resource-uid: "1"
spec:
  identity: {kind: User, name: agent-of-member-1, apiGroup: rbac.authorization.k8s.io}
  heartbeatPeriodSeconds: 15
`

// A member created by Azure is imported without Azure's fields, is selected by Azure's labels, and keeps all of Azure's fields when its own labels change.
func TestAzureMember(t *testing.T) {
	h := newHub(t)
	h.leave()
	h.put(azureMember)
	h.put(content("azure"))
	e := h.engine()
	h.joined(e)
	imported, err := e.ReadMember(t.Context(), memberName, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := member.Spec{Name: memberName, AdoptExisting: new(true)}
	if diff := cmp.Diff(want, imported.Spec); diff != "" {
		t.Error(diff)
	}
	h.Reset()
	if _, err := e.ApplyMember(t.Context(), engine.Member{Spec: want}, &imported); err != nil {
		t.Error(err)
	}
	h.idle("an imported member is written")

	p := placing("azure")
	p.Spec.Policy = &placement.Policy{Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
			{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"fleet.azure.com/location": "eastus"}}},
		}},
	}}}
	preview, err := e.Preview(t.Context(), p, engine.PreviewOptions{Create: true})
	if err != nil || len(preview.Clusters) != 1 || !preview.Clusters[0].Picked {
		t.Fatalf("%+v, %v", preview, err)
	}
	h.place(e, p)

	changed := want
	changed.Labels = map[string]string{"team": "web"}
	if _, err := e.ApplyMember(t.Context(), engine.Member{Spec: changed}, &imported); err != nil {
		t.Fatal(err)
	}
	live := h.stored(fixture.Ref{APIVersion: "cluster.kubernetes-fleet.io/v1beta1", Kind: "MemberCluster", Name: memberName})
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	if labels["team"] != "web" || labels["environment"] != "production" || labels["fleet.azure.com/location"] != "eastus" || annotations["fleet.azure.com/cluster-resource-uid"] != "1" {
		t.Errorf("labels %v, annotations %v", labels, annotations)
	}

	// If the resource of the member is removed, the member remains without the label "team", and the hub picks it for this placement.
	h.put(`
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: azure-others}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: azure}]
  policy:
    placementType: PickAll
    affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}}]}}}
`)
	h.deleteAtEnd(engine.Placement{Reference: engine.Reference{Name: "azure-others"}})
	without := engine.World{Members: map[string]engine.Planned[member.Spec]{memberName: {Was: &changed}}}
	found, err := e.PreviewChange(t.Context(), without, engine.Expectations{})
	if err != nil || len(found) != 1 || found[0].Placement != "azure-others" || found[0].Err != nil || len(found[0].Preview.Clusters) != 1 || !found[0].Preview.Clusters[0].Picked {
		t.Errorf("%+v, %v", found, err)
	}
}
