package takeover

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// OwnerKind is a sort of owner.
type OwnerKind string

// The sorts of owners.
const (
	OwnerNone        OwnerKind = "none"
	OwnerKubeFleet   OwnerKind = "kubefleet"
	OwnerKubeAdmiral OwnerKind = "kubeadmiral"
	OwnerUnrecorded  OwnerKind = "unrecorded"
	OwnerPlacement   OwnerKind = "placement"
	OwnerApplySet    OwnerKind = "applyset"
	OwnerHelm        OwnerKind = "helm"
	OwnerArgoCD      OwnerKind = "argocd"
	OwnerFlux        OwnerKind = "flux"
	OwnerTerraform   OwnerKind = "terraform"
	OwnerKubectl     OwnerKind = "kubectl"
	OwnerController  OwnerKind = "controller"
)

// Owner is who looks after an object.
type Owner struct {
	Kind OwnerKind
	// Name says which one: a placement or an ApplySet by its name, a release by namespace and name, a controller by kind and name. It may
	// be empty.
	Name string
	// Exclusive owners keep their objects whatever the mode: other placements, KubeFleet and KubeAdmiral.
	Exclusive bool
}

// ownerTexts are what users read; %s is the name.
var ownerTexts = map[OwnerKind]struct{ named, unnamed string }{
	OwnerKubeFleet:   {"KubeFleet (AppliedWork %s)", "KubeFleet"},
	OwnerKubeAdmiral: {"KubeAdmiral (%s)", "KubeAdmiral"},
	OwnerUnrecorded: {
		unnamed: "a copy, or left by a lost record: it carries this placement's label and was not made by it",
	},
	OwnerPlacement:  {`another placement "%s"`, "another placement"},
	OwnerApplySet:   {"ApplySet %s", "an ApplySet"},
	OwnerHelm:       {"Helm release %s", "Helm"},
	OwnerArgoCD:     {"Argo CD application %s", "Argo CD"},
	OwnerFlux:       {"Flux %s", "Flux"},
	OwnerTerraform:  {"Terraform (field manager %s)", "Terraform"},
	OwnerKubectl:    {"kubectl (%s)", "kubectl"},
	OwnerController: {"%s, its owner", "a controller"},
}

// String is what users read: "Helm release team-a/web"; nothing for no owner.
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

// Ours is by what the placement's own objects are known, so that it is not taken for another owner. The zero value knows none.
type Ours struct {
	// ApplySet is the ID of the set that its objects are labelled with. An object that is not its own can be labelled so too.
	ApplySet string
	// OwnerUID is that of the owner that its objects refer to, such as an AppliedWork of KubeFleet.
	OwnerUID types.UID
}

// OwnerOf tells who looks after an object that is not the placement's own, by the first rule that applies. An object whose last writer
// nobody knows has [OwnerNone].
func OwnerOf(live *unstructured.Unstructured, ours Ours) Owner {
	for _, rule := range ownerRules {
		if name, applies := rule.find(live, ours); applies {
			return Owner{Kind: rule.kind, Name: name, Exclusive: rule.exclusive}
		}
	}
	return Owner{Kind: OwnerNone}
}

const fleetAPIVersion = "placement.kubernetes-fleet.io/v1beta1"

// isAppliedWork tells KubeFleet's mark of ownership.
func isAppliedWork(ref metav1.OwnerReference) bool {
	return ref.Kind == "AppliedWork" && ref.APIVersion == fleetAPIVersion
}

// OwnerReferences returns the object's owner references except ours. Any of them keeps KubeFleet from taking the object over unless
// co-ownership is allowed.
func OwnerReferences(live *unstructured.Unstructured, ours Ours) []metav1.OwnerReference {
	var others []metav1.OwnerReference
	for _, ref := range live.GetOwnerReferences() {
		if ours.OwnerUID == "" || ref.UID != ours.OwnerUID {
			others = append(others, ref)
		}
	}
	return others
}
