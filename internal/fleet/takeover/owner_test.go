package takeover

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestOwnerOf(t *testing.T) {
	ours := Ours{ApplySet: "applyset-ours-v1", OwnerUID: "uid-ours"}
	tests := map[string]struct {
		metadata string
		want     Owner
		text     string
	}{
		"nobody": {"", Owner{Kind: OwnerNone}, ""},
		"a copy of one of ours": {
			"labels: {applyset.kubernetes.io/part-of: applyset-ours-v1}", Owner{Kind: OwnerUnrecorded},
			"a copied object, or an object of a lost record: it has this placement's label, but the placement did not create it",
		},
		"our own AppliedWork":                 {"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work, uid: uid-ours}]", Owner{Kind: OwnerNone}, ""},
		"our own controller":                  {"ownerReferences: [{kind: A, name: a, uid: uid-ours, controller: true}]", Owner{Kind: OwnerNone}, ""},
		"our own owner that controls nothing": {"ownerReferences: [{kind: A, name: a, uid: uid-ours}]", Owner{Kind: OwnerNone}, ""},
		"another AppliedWork besides ours": {
			"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work, uid: uid-ours}, {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: other-work, uid: uid-theirs}]",
			Owner{OwnerKubeFleet, "other-work", true}, "KubeFleet (AppliedWork other-work)",
		},
		"another controller besides our AppliedWork": {
			"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work, uid: uid-ours}, {kind: ReplicaSet, name: web-1, uid: uid-theirs, controller: true}]",
			Owner{OwnerController, "ReplicaSet web-1", false}, "ReplicaSet web-1, its owner",
		},
		"another owner besides our AppliedWork": {
			"ownerReferences: [{kind: Team, name: red, uid: uid-theirs}, {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work, uid: uid-ours}]",
			Owner{OwnerController, "Team red", false}, "Team red, its owner",
		},
		"who wrote our own, by hand": {
			"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work, uid: uid-ours}], managedFields: [{manager: kubectl-edit, operation: Update}]",
			Owner{OwnerKubectl, "", false}, "kubectl",
		},
		"KubeFleet, also when something else is there": {
			"labels: {kubeadmiral.io/managed: 'true'}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, controller: true}, {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: web-work}]",
			Owner{OwnerKubeFleet, "web-work", true}, "KubeFleet (AppliedWork web-work)",
		},
		"KubeAdmiral":                    {"labels: {kubeadmiral.io/managed: 'true'}", Owner{OwnerKubeAdmiral, "", true}, "KubeAdmiral"},
		"KubeAdmiral that was refused":   {"labels: {kubeadmiral.io/managed: 'false'}", Owner{Kind: OwnerNone}, ""},
		"another ApplySet":               {"labels: {applyset.kubernetes.io/part-of: applyset-theirs-v1}", Owner{OwnerApplySet, "applyset-theirs-v1", false}, "ApplySet applyset-theirs-v1"},
		"controller":                     {"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web}, ownerReferences: [{kind: X, name: a}, {kind: ReplicaSet, name: web-1, controller: true}]", Owner{OwnerController, "ReplicaSet web-1", false}, "ReplicaSet web-1, its owner"},
		"Helm":                           {"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: team-a}", Owner{OwnerHelm, "team-a/web", false}, "Helm release team-a/web"},
		"an object created from a chart": {"labels: {app.kubernetes.io/managed-by: Helm}", Owner{Kind: OwnerNone}, ""},
		"Helm by its manager":            {"managedFields: [{manager: helm, operation: Update}]", Owner{OwnerHelm, "", false}, "Helm"},
		"Argo CD by tracking":            {"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, argocd.argoproj.io/tracking-id: 'shop:apps/Deployment:web/web'}", Owner{OwnerArgoCD, "shop", false}, "Argo CD application shop"},
		"Argo CD's mark, copied from another object": {"annotations: {argocd.argoproj.io/tracking-id: 'shop:apps/Deployment:web/other'}", Owner{Kind: OwnerNone}, ""},
		"Argo CD's mark, copied from another kind":   {"annotations: {argocd.argoproj.io/tracking-id: 'shop:/Service:web/web'}", Owner{Kind: OwnerNone}, ""},
		"Argo CD's mark, with an application only":   {"annotations: {argocd.argoproj.io/tracking-id: shop}", Owner{OwnerArgoCD, "shop", false}, "Argo CD application shop"},
		"Argo CD by its command":                     {"managedFields: [{manager: argocd, operation: Update}]", Owner{OwnerArgoCD, "", false}, "Argo CD"},
		"Flux ResourceSet":                           {"labels: {resourceset.fluxcd.controlplane.io/name: apps, resourceset.fluxcd.controlplane.io/namespace: flux-system}", Owner{OwnerFlux, "ResourceSet flux-system/apps", false}, "Flux ResourceSet flux-system/apps"},
		"Flux by its operator":                       {"managedFields: [{manager: flux-operator, operation: Apply}]", Owner{OwnerFlux, "", false}, "Flux"},
		"OpenTofu":                                   {"managedFields: [{manager: OpenTofu, operation: Apply}]", Owner{OwnerTerraform, "OpenTofu", false}, "Terraform (field manager OpenTofu)"},
		"kubectl create":                             {"managedFields: [{manager: kubectl-create, operation: Update}]", Owner{OwnerKubectl, "", false}, "kubectl"},
		"kubectl apply on the server's side":         {"managedFields: [{manager: kubectl, operation: Apply}]", Owner{OwnerKubectl, "", false}, "kubectl"},
		"an autoscaler, which owns a field at most":  {"managedFields: [{manager: kube-controller-manager, operation: Update, subresource: scale}]", Owner{Kind: OwnerNone}, ""},
		"Argo CD by label":                           {"labels: {argocd.argoproj.io/instance: shop}", Owner{OwnerArgoCD, "shop", false}, "Argo CD application shop"},
		"Argo CD by the general label":               {"labels: {app.kubernetes.io/instance: shop}, managedFields: [{manager: argocd-controller, operation: Apply}]", Owner{OwnerArgoCD, "shop", false}, "Argo CD application shop"},
		"a label that everybody uses":                {"labels: {app.kubernetes.io/instance: shop}", Owner{Kind: OwnerNone}, ""},
		"Argo CD by its manager":                     {"managedFields: [{manager: argocd-application-controller, operation: Update}]", Owner{OwnerArgoCD, "", false}, "Argo CD"},
		"Flux Kustomization":                         {"labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}", Owner{OwnerFlux, "Kustomization flux-system/apps", false}, "Flux Kustomization flux-system/apps"},
		"Flux HelmRelease":                           {"labels: {helm.toolkit.fluxcd.io/name: web, app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web}", Owner{OwnerFlux, "HelmRelease web", false}, "Flux HelmRelease web"},
		"Flux by its manager":                        {"managedFields: [{manager: kustomize-controller, operation: Apply}]", Owner{OwnerFlux, "", false}, "Flux"},
		"an owner that controls nothing":             {"ownerReferences: [{kind: Team, name: red}]", Owner{OwnerController, "Team red", false}, "Team red, its owner"},
		"Terraform":                                  {"managedFields: [{manager: kubectl-edit, operation: Update}, {manager: Terraform, operation: Apply}]", Owner{OwnerTerraform, "Terraform", false}, "Terraform (field manager Terraform)"},
		"an object that a placement left":            {"managedFields: [{manager: kubectl-edit, operation: Update}, {manager: terraform-provider-fleet, operation: Update}]", Owner{OwnerReleased, "", false}, "left by a placement of this provider"},
		"the same, taken over by Terraform":          {"managedFields: [{manager: terraform-provider-fleet, operation: Update}, {manager: Terraform, operation: Apply}]", Owner{OwnerTerraform, "Terraform", false}, "Terraform (field manager Terraform)"},
		"the same, taken over by Pulumi":             {"managedFields: [{manager: terraform-provider-fleet, operation: Update}, {manager: pulumi-kubernetes-1, operation: Apply}]", Owner{OwnerTool, "Pulumi", false}, "Pulumi"},
		"the same, scaled by Terraform":              {"managedFields: [{manager: terraform-provider-fleet, operation: Update}, {manager: Terraform, operation: Update, subresource: scale}]", Owner{OwnerReleased, "", false}, "left by a placement of this provider"},
		"our own, with its label":                    {"labels: {applyset.kubernetes.io/part-of: applyset-theirs-v1}, managedFields: [{manager: terraform-provider-fleet, operation: Update}]", Owner{OwnerApplySet, "applyset-theirs-v1", false}, "ApplySet applyset-theirs-v1"},
		"a record of the provider":                   {"namespace: fleet-system, managedFields: [{manager: terraform-provider-fleet, operation: Update}]", Owner{OwnerTerraform, "terraform-provider-fleet", false}, "Terraform (field manager terraform-provider-fleet)"},
		"Terraform by its user agent":                {"managedFields: [{manager: HashiCorp, operation: Update}]", Owner{OwnerTerraform, "HashiCorp", false}, "Terraform (field manager HashiCorp)"},
		"kubectl":                                    {"managedFields: [{manager: kube-controller-manager, operation: Update}, {manager: kubectl-client-side-apply, operation: Update}]", Owner{OwnerKubectl, "", false}, "kubectl"},
		"kubectl without managed fields":             {"annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}", Owner{OwnerKubectl, "", false}, "kubectl"},
		"kubectl, that only scaled":                  {"managedFields: [{manager: kubectl, operation: Update, subresource: scale}]", Owner{Kind: OwnerNone}, ""},
		"Karmada":                                    {"labels: {karmada.io/managed: 'true'}", Owner{OwnerTool, "Karmada", false}, "Karmada"},
		"an object that Karmada released":            {"labels: {karmada.io/managed: 'false'}", Owner{Kind: OwnerNone}, ""},
		"kapp":                                       {"labels: {kapp.k14s.io/app: '17'}", Owner{OwnerTool, "kapp (app 17)", false}, "kapp (app 17)"},
		"kpt":                                        {"annotations: {config.k8s.io/owning-inventory: team-a}", Owner{OwnerTool, "the inventory team-a of kpt or Config Sync", false}, "the inventory team-a of kpt or Config Sync"},
		"Pulumi":                                     {"labels: {app.kubernetes.io/managed-by: pulumi}, managedFields: [{manager: kubectl, operation: Apply}]", Owner{OwnerTool, "Pulumi", false}, "Pulumi"},
		"Pulumi by its manager":                      {"managedFields: [{manager: kubectl, operation: Apply}, {manager: pulumi-kubernetes-1, operation: Apply}]", Owner{OwnerTool, "Pulumi", false}, "Pulumi"},
		"another value of the common label":          {"labels: {app.kubernetes.io/managed-by: me}", Owner{Kind: OwnerNone}, ""},
		"Kubernetes itself":                          {"managedFields: [{manager: kube-apiserver, operation: Update}, {manager: kubelet, operation: Update}]", Owner{OwnerKubernetes, "", false}, "Kubernetes"},
		"a controller of Kubernetes that wrote to an operator's object": {"managedFields: [{manager: my-operator, operation: Update}, {manager: kube-controller-manager, operation: Update}]", Owner{Kind: OwnerNone}, ""},
		"an unknown controller":           {"managedFields: [{manager: my-operator, operation: Update}]", Owner{Kind: OwnerNone}, ""},
		"an AppliedWork of another group": {"ownerReferences: [{apiVersion: example.org/v1, kind: AppliedWork, name: a}]", Owner{OwnerController, "AppliedWork a", false}, "AppliedWork a, its owner"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := OwnerOf(object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, "+tt.metadata+"}}"), ours)
			if got != tt.want || got.String() != tt.text {
				t.Errorf("got %+v %q, want %+v %q", got, got, tt.want, tt.text)
			}
		})
	}
	records := object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: fleet-system, managedFields: [{manager: terraform-provider-fleet, operation: Update}]}}")
	if got := OwnerOf(records, ours); got.Kind != OwnerTerraform {
		t.Errorf("the namespace of the provider's records: got %+v", got)
	}
	if got := (Owner{Kind: OwnerPlacement, Name: "x", Exclusive: true}).String(); got != `another placement "x"` {
		t.Errorf("got %s", got)
	}
}

// TestOwnerOfKnowsNothingAsOurs checks that the zero value of Ours matches no object, not even one with an empty mark.
func TestOwnerOfKnowsNothingAsOurs(t *testing.T) {
	for metadata, want := range map[string]Owner{
		"labels: {applyset.kubernetes.io/part-of: applyset-a-v1}":                                                      {OwnerApplySet, "applyset-a-v1", false},
		"labels: {applyset.kubernetes.io/part-of: ''}":                                                                 {Kind: OwnerNone},
		"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: a}]":           {OwnerKubeFleet, "a", true},
		"ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: a, uid: '1'}]": {OwnerKubeFleet, "a", true},
	} {
		if got := OwnerOf(object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, "+metadata+"}}"), Ours{}); got != want {
			t.Errorf("%s: got %+v, want %+v", metadata, got, want)
		}
	}
}

func TestOwnerReferences(t *testing.T) {
	live := object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{kind: A, name: a, uid: '1'}, {kind: B, name: b, uid: '2'}]}}")
	if got := OwnerReferences(live, Ours{OwnerUID: "1"}); len(got) != 1 || got[0].Name != "b" {
		t.Errorf("got %v", got)
	}
	if got := OwnerReferences(live, Ours{ApplySet: "1"}); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

// TestOwnerMarks checks that each rule has a mark, and that each kind of owner that an object itself can show has a rule.
func TestOwnerMarks(t *testing.T) {
	marks := OwnerMarks()
	for _, kind := range []OwnerKind{
		OwnerKubeFleet, OwnerKubeAdmiral, OwnerUnrecorded, OwnerApplySet, OwnerHelm, OwnerArgoCD, OwnerFlux, OwnerTerraform, OwnerKubectl, OwnerController, OwnerTool,
		OwnerKubernetes,
	} {
		if !slices.ContainsFunc(marks, func(m OwnerMark) bool { return m.Kind == kind }) {
			t.Errorf("%s has no mark", kind)
		}
	}
	seen := map[string]bool{}
	for _, mark := range marks {
		if mark.Mark == "" || seen[mark.Mark] {
			t.Errorf("%s has no mark of its own: %q", mark.Kind, mark.Mark)
		}
		seen[mark.Mark] = true
		if exclusive := mark.Kind == OwnerKubeFleet || mark.Kind == OwnerKubeAdmiral; mark.Exclusive != exclusive {
			t.Errorf("%s: exclusive is %t", mark.Kind, mark.Exclusive)
		}
	}
}

// object parses one manifest.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	objects, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return objects[0].Content
}
