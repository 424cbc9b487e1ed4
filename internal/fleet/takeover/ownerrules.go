package takeover

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// ownerRule recognizes one kind of owner by its marks on an object.
type ownerRule struct {
	kind      OwnerKind
	exclusive bool
	// mark describes what identifies the owner.
	mark string
	// find returns the name of the owner, which may be empty.
	find func(live *unstructured.Unstructured, ours Ours) (name string, applies bool)
}

// ownerRules are sorted by certainty: ownership claims first, then tool marks, then the last writer. Flux and Argo CD precede Helm, because
// objects that they create from charts have Helm's marks as well. Tools for manual changes come last.
var ownerRules = []ownerRule{
	{
		kind: OwnerKubeFleet, exclusive: true, mark: "owner reference of kind AppliedWork in " + kubefleetapi.AppliedWorkAPIVersion,
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) { return ref.Name, isAppliedWork(ref) }),
	},
	{
		kind: OwnerKubeAdmiral, exclusive: true, mark: "label kubeadmiral.io/managed: \"true\"",
		find: matchLabel("kubeadmiral.io/managed", func(value string) (string, bool) { return "", value == "true" }),
	},
	{
		kind: OwnerUnrecorded, mark: "label " + applyset.PartOfLabel + " with the placement's own ID, on an object that is not in its record",
		find: func(live *unstructured.Unstructured, ours Ours) (string, bool) {
			id := applyset.PartOf(live)
			return "", id != "" && id == ours.ApplySet
		},
	},
	{
		kind: OwnerApplySet, mark: "label " + applyset.PartOfLabel + " with another set's ID",
		find: func(live *unstructured.Unstructured, ours Ours) (string, bool) {
			id := applyset.PartOf(live)
			return id, id != "" && id != ours.ApplySet
		},
	},
	{
		kind: OwnerController, mark: "owner reference with controller: true",
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) {
			return ref.Kind + " " + ref.Name, ref.Controller != nil && *ref.Controller
		}),
	},
	{
		kind: OwnerFlux, mark: "labels kustomize.toolkit.fluxcd.io/name and namespace",
		find: matchFluxObject("kustomize.toolkit.fluxcd.io", "Kustomization"),
	},
	{
		kind: OwnerFlux, mark: "labels helm.toolkit.fluxcd.io/name and namespace",
		find: matchFluxObject("helm.toolkit.fluxcd.io", "HelmRelease"),
	},
	{
		kind: OwnerFlux, mark: "labels resourceset.fluxcd.controlplane.io/name and namespace",
		find: matchFluxObject("resourceset.fluxcd.controlplane.io", "ResourceSet"),
	},
	{
		kind: OwnerArgoCD, mark: "annotation argocd.argoproj.io/tracking-id that names the object itself",
		find: findArgoTracking,
	},
	{kind: OwnerArgoCD, mark: "label argocd.argoproj.io/instance", find: matchLabel("argocd.argoproj.io/instance", acceptNonEmpty)},
	{
		kind: OwnerArgoCD, mark: "label app.kubernetes.io/instance on an object written by a field manager argocd…",
		find: findArgoInstance,
	},
	{
		kind: OwnerHelm, mark: "label app.kubernetes.io/managed-by: Helm with annotation meta.helm.sh/release-name",
		find: findHelmRelease,
	},
	{
		kind: OwnerController, mark: "any other owner reference",
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) { return ref.Kind + " " + ref.Name, true }),
	},
	fieldManagerRule(OwnerFlux, false, "kustomize-controller", "helm-controller", "flux-operator"),
	fieldManagerRule(OwnerArgoCD, false, "argocd"),
	fieldManagerRule(OwnerHelm, false, "helm", "Helm"),
	fieldManagerRule(OwnerTerraform, true, "Terraform", "terraform", "HashiCorp", "OpenTofu"),
	fieldManagerRule(OwnerKubectl, false, "kubectl"),
	{
		kind: OwnerKubectl, mark: "annotation kubectl.kubernetes.io/last-applied-configuration",
		find: matchAnnotation("kubectl.kubernetes.io/last-applied-configuration", func(value string) (string, bool) { return "", value != "" }),
	},
}

// OwnerMark is a kind of owner and what identifies it.
type OwnerMark struct {
	Kind OwnerKind
	// Exclusive owners keep their objects; see [Owner].
	Exclusive bool
	Mark      string
}

// OwnerMarks lists the marks of owners in the order in which they are checked; the first match counts. Autoscalers of single fields are
// found separately, see [diff.Difference.Autoscaled].
func OwnerMarks() []OwnerMark {
	marks := make([]OwnerMark, len(ownerRules))
	for i, rule := range ownerRules {
		marks[i] = OwnerMark{Kind: rule.kind, Exclusive: rule.exclusive, Mark: rule.mark}
	}
	return marks
}

type matchFunc = func(live *unstructured.Unstructured, ours Ours) (string, bool)

func acceptNonEmpty(value string) (string, bool) { return value, value != "" }

// matchReference finds an owner reference that is not ours.
func matchReference(match func(metav1.OwnerReference) (string, bool)) matchFunc {
	return func(live *unstructured.Unstructured, ours Ours) (string, bool) {
		for _, ref := range OwnerReferences(live, ours) {
			if name, applies := match(ref); applies {
				return name, true
			}
		}
		return "", false
	}
}

func matchLabel(key string, match func(string) (string, bool)) matchFunc {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) { return match(live.GetLabels()[key]) }
}

func matchAnnotation(key string, match func(string) (string, bool)) matchFunc {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) {
		return match(live.GetAnnotations()[key])
	}
}

// matchFluxObject matches the labels that Flux sets on each object that it creates from a Flux object of this kind.
func matchFluxObject(group, kind string) matchFunc {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) {
		name := live.GetLabels()[group+"/name"]
		return kind + " " + joinName(live.GetLabels()[group+"/namespace"], name), name != ""
	}
}

// findArgoTracking finds the annotation with which Argo CD marks the objects of an application: application:group/kind:namespace/name.
// Controllers copy annotations to the objects they create, so the annotation may name another object. Argo CD ignores such copies as well.
func findArgoTracking(live *unstructured.Unstructured, _ Ours) (string, bool) {
	application, object, found := strings.Cut(live.GetAnnotations()["argocd.argoproj.io/tracking-id"], ":")
	if !found {
		return application, application != ""
	}
	kind, name, _ := strings.Cut(object, ":")
	gvk := live.GroupVersionKind()
	return application, kind == gvk.Group+"/"+gvk.Kind && strings.HasSuffix(name, "/"+live.GetName())
}

// findArgoInstance attributes the common instance label to Argo CD, which uses it by default, if Argo CD has written the object.
func findArgoInstance(live *unstructured.Unstructured, _ Ours) (string, bool) {
	instance := live.GetLabels()["app.kubernetes.io/instance"]
	_, wrote := findFieldManager(live, "argocd")
	return instance, instance != "" && wrote
}

// findHelmRelease requires the annotations as well as the label: objects that other tools create from charts have only the label.
func findHelmRelease(live *unstructured.Unstructured, _ Ours) (string, bool) {
	annotations := live.GetAnnotations()
	name := annotations["meta.helm.sh/release-name"]
	managed := live.GetLabels()["app.kubernetes.io/managed-by"] == "Helm"
	return joinName(annotations["meta.helm.sh/release-namespace"], name), managed && name != ""
}

func joinName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// fieldManagerRule returns a rule for field managers whose name begins with a prefix. The rule reports the name of the field manager as the name of
// the owner only if reportsName is true.
func fieldManagerRule(kind OwnerKind, reportsName bool, prefixes ...string) ownerRule {
	return ownerRule{
		kind: kind, mark: "field manager " + strings.Join(prefixes, "…, ") + "…",
		find: func(live *unstructured.Unstructured, _ Ours) (string, bool) {
			name, found := findFieldManager(live, prefixes...)
			if !reportsName {
				name = ""
			}
			return name, found
		},
	}
}

// findFieldManager finds a field manager by the prefix of its name. Writes to status and scale do not make a manager the owner.
func findFieldManager(live *unstructured.Unstructured, prefixes ...string) (name string, found bool) {
	for manager := range diff.Managers(live) {
		begins := func(prefix string) bool { return strings.HasPrefix(manager.Name, prefix) }
		if manager.Subresource == "" && slices.ContainsFunc(prefixes, begins) {
			return manager.Name, true
		}
	}
	return "", false
}
