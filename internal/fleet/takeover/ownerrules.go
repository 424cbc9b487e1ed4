package takeover

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// ownerRule tells one sort of owner from the marks that it leaves on an object.
type ownerRule struct {
	kind      OwnerKind
	exclusive bool
	// mark says in words by what the owner is known.
	mark string
	// find returns the name of the owner, which may be empty.
	find func(live *unstructured.Unstructured, ours Ours) (name string, applies bool)
}

// ownerRules come in the order of how sure they are: who says that the object is his, then whose marks are on it, then who wrote it last.
// Flux and Argo CD come before Helm, whose marks are on what they make of charts; what everybody uses by hand comes last.
var ownerRules = []ownerRule{
	{
		kind: OwnerKubeFleet, exclusive: true, mark: "owner reference of kind AppliedWork in " + fleetAPIVersion,
		find: reference(func(ref metav1.OwnerReference) (string, bool) { return ref.Name, isAppliedWork(ref) }),
	},
	{
		kind: OwnerKubeAdmiral, exclusive: true, mark: "label kubeadmiral.io/managed: \"true\"",
		find: label("kubeadmiral.io/managed", func(value string) (string, bool) { return "", value == "true" }),
	},
	{
		kind: OwnerUnrecorded, mark: "label " + applyset.PartOfLabel + " with the placement's own ID, on an object that its record does not have",
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
		find: reference(func(ref metav1.OwnerReference) (string, bool) {
			return ref.Kind + " " + ref.Name, ref.Controller != nil && *ref.Controller
		}),
	},
	{
		kind: OwnerFlux, mark: "labels kustomize.toolkit.fluxcd.io/name and namespace",
		find: fluxObject("kustomize.toolkit.fluxcd.io", "Kustomization"),
	},
	{
		kind: OwnerFlux, mark: "labels helm.toolkit.fluxcd.io/name and namespace",
		find: fluxObject("helm.toolkit.fluxcd.io", "HelmRelease"),
	},
	{
		kind: OwnerFlux, mark: "labels resourceset.fluxcd.controlplane.io/name and namespace",
		find: fluxObject("resourceset.fluxcd.controlplane.io", "ResourceSet"),
	},
	{
		kind: OwnerArgoCD, mark: "annotation argocd.argoproj.io/tracking-id that names the object itself",
		find: argoTracked,
	},
	{kind: OwnerArgoCD, mark: "label argocd.argoproj.io/instance", find: label("argocd.argoproj.io/instance", present)},
	{
		kind: OwnerArgoCD, mark: "label app.kubernetes.io/instance on what a field manager argocd… has written",
		find: argoInstance,
	},
	{
		kind: OwnerHelm, mark: "label app.kubernetes.io/managed-by: Helm with annotation meta.helm.sh/release-name",
		find: helmRelease,
	},
	{
		kind: OwnerController, mark: "any other owner reference",
		find: reference(func(ref metav1.OwnerReference) (string, bool) { return ref.Kind + " " + ref.Name, true }),
	},
	wroteIt(OwnerFlux, "", "kustomize-controller", "helm-controller", "flux-operator"),
	wroteIt(OwnerArgoCD, "", "argocd"),
	wroteIt(OwnerHelm, "", "helm", "Helm"),
	wroteIt(OwnerTerraform, "name", "Terraform", "terraform", "HashiCorp", "OpenTofu"),
	wroteIt(OwnerKubectl, "", "kubectl"),
	{
		kind: OwnerKubectl, mark: "annotation kubectl.kubernetes.io/last-applied-configuration",
		find: annotation("kubectl.kubernetes.io/last-applied-configuration", func(value string) (string, bool) { return "", value != "" }),
	},
}

// OwnerMark is a sort of owner and by what it is known.
type OwnerMark struct {
	Kind OwnerKind
	// Exclusive owners keep their objects; see [Owner].
	Exclusive bool
	Mark      string
}

// OwnerMarks lists what owners are known by, in the order in which it is looked for: the first mark that an object has counts. Who
// scales or sizes a field is told apart from that; see [diff.Difference.Autoscaled].
func OwnerMarks() []OwnerMark {
	marks := make([]OwnerMark, len(ownerRules))
	for i, rule := range ownerRules {
		marks[i] = OwnerMark{Kind: rule.kind, Exclusive: rule.exclusive, Mark: rule.mark}
	}
	return marks
}

type finder = func(live *unstructured.Unstructured, ours Ours) (string, bool)

func present(value string) (string, bool) { return value, value != "" }

// reference looks for an owner reference that is not ours.
func reference(judge func(metav1.OwnerReference) (string, bool)) finder {
	return func(live *unstructured.Unstructured, ours Ours) (string, bool) {
		for _, ref := range OwnerReferences(live, ours) {
			if name, applies := judge(ref); applies {
				return name, true
			}
		}
		return "", false
	}
}

func label(key string, judge func(string) (string, bool)) finder {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) { return judge(live.GetLabels()[key]) }
}

func annotation(key string, judge func(string) (string, bool)) finder {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) {
		return judge(live.GetAnnotations()[key])
	}
}

// fluxObject looks for the labels that Flux puts on everything that one of its objects makes.
func fluxObject(group, kind string) finder {
	return func(live *unstructured.Unstructured, _ Ours) (string, bool) {
		name := live.GetLabels()[group+"/name"]
		return kind + " " + joinName(live.GetLabels()[group+"/namespace"], name), name != ""
	}
}

// argoTracked looks for the annotation by which Argo CD tells what is an application's: application:group/kind:namespace/name. Controllers
// copy annotations to what they make, where it names another object; Argo CD does not take those for its own either.
func argoTracked(live *unstructured.Unstructured, _ Ours) (string, bool) {
	application, object, found := strings.Cut(live.GetAnnotations()["argocd.argoproj.io/tracking-id"], ":")
	if !found {
		return application, application != ""
	}
	kind, name, _ := strings.Cut(object, ":")
	gvk := live.GroupVersionKind()
	return application, kind == gvk.Group+"/"+gvk.Kind && strings.HasSuffix(name, "/"+live.GetName())
}

// argoInstance takes the general instance label for Argo CD's, which uses it by default, if Argo CD has written the object.
func argoInstance(live *unstructured.Unstructured, _ Ours) (string, bool) {
	instance := live.GetLabels()["app.kubernetes.io/instance"]
	_, wrote := fieldManager(live, "argocd")
	return instance, instance != "" && wrote
}

// helmRelease wants the annotations besides the label: what others make of charts has the label only.
func helmRelease(live *unstructured.Unstructured, _ Ours) (string, bool) {
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

// wroteIt looks for a field manager whose name begins in one of these ways. It names the owner only if it is asked to.
func wroteIt(kind OwnerKind, named string, prefixes ...string) ownerRule {
	return ownerRule{
		kind: kind, mark: "field manager " + strings.Join(prefixes, "…, ") + "…",
		find: func(live *unstructured.Unstructured, _ Ours) (string, bool) {
			name, found := fieldManager(live, prefixes...)
			if named == "" {
				name = ""
			}
			return name, found
		},
	}
}

// fieldManager finds one by the beginning of its name. Writes to status and scale are not what makes an owner.
func fieldManager(live *unstructured.Unstructured, prefixes ...string) (name string, found bool) {
	for manager := range diff.Managers(live) {
		begins := func(prefix string) bool { return strings.HasPrefix(manager.Name, prefix) }
		if manager.Subresource == "" && slices.ContainsFunc(prefixes, begins) {
			return manager.Name, true
		}
	}
	return "", false
}
