package takeover

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// FieldManager is the default field manager of the provider.
const FieldManager = "terraform-provider-fleet"

// OwnerKind is a kind of owner.
type OwnerKind string

const (
	OwnerNone        OwnerKind = "none"
	OwnerKubeFleet   OwnerKind = "kubefleet"
	OwnerKubeAdmiral OwnerKind = "kubeadmiral"
	OwnerUnrecorded  OwnerKind = "unrecorded"
	OwnerReleased    OwnerKind = "released"
	OwnerPlacement   OwnerKind = "placement"
	OwnerApplySet    OwnerKind = "applyset"
	OwnerHelm        OwnerKind = "helm"
	OwnerArgoCD      OwnerKind = "argocd"
	OwnerFlux        OwnerKind = "flux"
	OwnerTerraform   OwnerKind = "terraform"
	OwnerTool        OwnerKind = "tool"
	OwnerKubectl     OwnerKind = "kubectl"
	OwnerController  OwnerKind = "controller"
	OwnerKubernetes  OwnerKind = "kubernetes"
)

// Values lists the values in the order in which they are documented.
func (OwnerKind) Values() []string {
	return []string{
		string(OwnerNone), string(OwnerPlacement), string(OwnerKubeFleet), string(OwnerKubeAdmiral), string(OwnerUnrecorded), string(OwnerReleased), string(OwnerApplySet),
		string(OwnerHelm), string(OwnerArgoCD), string(OwnerFlux), string(OwnerTerraform), string(OwnerTool), string(OwnerKubectl),
		string(OwnerController), string(OwnerKubernetes),
	}
}

// Owner is the placement, person, tool or controller that manages an object.
type Owner struct {
	Kind OwnerKind
	// Name identifies the owner: a placement or an ApplySet by name, a release by namespace and name, a controller by kind and name. It may
	// be empty.
	Name string
	// Exclusive owners keep their objects regardless of whenToTakeOver: other placements, KubeFleet and KubeAdmiral.
	Exclusive bool
}

// ownerTexts are shown to users; %s is the name.
var ownerTexts = map[OwnerKind]struct{ named, unnamed string }{
	OwnerKubeFleet:   {"KubeFleet (AppliedWork %s)", "KubeFleet"},
	OwnerKubeAdmiral: {"KubeAdmiral (%s)", "KubeAdmiral"},
	OwnerUnrecorded: {
		named:   `a copied object, or an object of a lost record: its label names the placement "%s", whose record does not list it`,
		unnamed: "a copied object, or an object of a lost record: it has this placement's label, but the placement did not create it",
	},
	OwnerReleased:   {"left by a placement of this provider (%s)", "left by a placement of this provider"},
	OwnerPlacement:  {`another placement "%s"`, "another placement"},
	OwnerApplySet:   {"ApplySet %s", "an ApplySet"},
	OwnerHelm:       {"Helm release %s", "Helm"},
	OwnerArgoCD:     {"Argo CD application %s", "Argo CD"},
	OwnerFlux:       {"Flux %s", "Flux"},
	OwnerTerraform:  {"Terraform (field manager %s)", "Terraform"},
	OwnerTool:       {"%s", "another tool"},
	OwnerKubectl:    {"kubectl (%s)", "kubectl"},
	OwnerController: {"%s, its owner", "a controller"},
	OwnerKubernetes: {"Kubernetes (%s)", "Kubernetes"},
}

// String returns the text for users, such as "Helm release team-a/web", or "" if there is no owner.
func (o Owner) String() string {
	text, known := ownerTexts[o.Kind]
	switch {
	case !known:
		return ""
	case o.Name == "":
		return text.unnamed
	default:
		return strings.Replace(text.named, "%s", o.Name, 1)
	}
}

// Ours identifies the placement's own objects, so that the placement is not mistaken for another owner. The zero value matches none.
type Ours struct {
	// ApplySet is the ID of the set in the label of the placement's objects. An object that is not the placement's can have the label too.
	ApplySet string
	// OwnerUID is the UID of the owner in the owner references of the placement's objects, such as an AppliedWork of KubeFleet.
	OwnerUID types.UID
}

// OwnerOf returns the owner of an object that the placement does not own, by the first rule that applies. If no rule applies, the kind is [OwnerNone].
func OwnerOf(live *unstructured.Unstructured, ours Ours) Owner {
	for _, rule := range ownerRules {
		if name, applies := rule.find(live, ours); applies {
			return Owner{Kind: rule.kind, Name: name, Exclusive: rule.exclusive}
		}
	}
	return Owner{Kind: OwnerNone}
}

func isAppliedWork(ref metav1.OwnerReference) bool {
	return ref.Kind == "AppliedWork" && ref.APIVersion == kubefleetapi.AppliedWorkAPIVersion
}

// OwnerReferences returns the object's owner references except ours. If co-ownership is not allowed, each of them prevents KubeFleet from taking over the
// object. A reference to an AppliedWork always prevents the takeover.
func OwnerReferences(live *unstructured.Unstructured, ours Ours) []metav1.OwnerReference {
	var others []metav1.OwnerReference
	for _, ref := range live.GetOwnerReferences() {
		if ours.OwnerUID == "" || ref.UID != ours.OwnerUID {
			others = append(others, ref)
		}
	}
	return others
}
