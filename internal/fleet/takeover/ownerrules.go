package takeover

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ownerRule tells one sort of owner from the marks that it leaves on an object.
type ownerRule struct {
	kind      OwnerKind
	exclusive bool
	// find returns the name of the owner, which may be empty.
	find func(live *unstructured.Unstructured, ours string) (name string, applies bool)
}

// ownerRules come in the order of how sure they are: who says that the object is his, then whose marks are on it, then who wrote it last.
// Flux and Argo CD come before Helm, whose marks are on what they make of charts; what everybody uses by hand comes last.
var ownerRules = []ownerRule{
	{kind: OwnerKubeFleet, exclusive: true, find: reference(func(ref metav1.OwnerReference) (string, bool) {
		return ref.Name, isAppliedWork(ref)
	})},
	{kind: OwnerKubeAdmiral, exclusive: true, find: label("kubeadmiral.io/managed", func(value string) (string, bool) {
		return "", value == "true"
	})},
	{kind: OwnerApplySet, find: func(live *unstructured.Unstructured, ours string) (string, bool) {
		id := live.GetLabels()["applyset.kubernetes.io/part-of"]
		return id, id != "" && id != ours
	}},
	{kind: OwnerController, find: reference(func(ref metav1.OwnerReference) (string, bool) {
		return ref.Kind + " " + ref.Name, ref.Controller != nil && *ref.Controller
	})},
	{kind: OwnerFlux, find: fluxObject("kustomize.toolkit.fluxcd.io", "Kustomization")},
	{kind: OwnerFlux, find: fluxObject("helm.toolkit.fluxcd.io", "HelmRelease")},
	{kind: OwnerArgoCD, find: annotation("argocd.argoproj.io/tracking-id", func(value string) (string, bool) {
		application, _, _ := strings.Cut(value, ":")
		return application, value != ""
	})},
	{kind: OwnerArgoCD, find: label("argocd.argoproj.io/instance", present)},
	{kind: OwnerArgoCD, find: argoInstance},
	{kind: OwnerHelm, find: helmRelease},
	{kind: OwnerController, find: reference(func(ref metav1.OwnerReference) (string, bool) { return ref.Kind + " " + ref.Name, true })},
	{kind: OwnerFlux, find: manager("", "kustomize-controller", "helm-controller")},
	{kind: OwnerArgoCD, find: manager("", "argocd-", "argocd")},
	{kind: OwnerHelm, find: manager("", "helm", "Helm")},
	{kind: OwnerTerraform, find: manager("name", "Terraform", "terraform", "HashiCorp", "OpenTofu")},
	{kind: OwnerKubectl, find: manager("", "kubectl")},
	{kind: OwnerKubectl, find: annotation("kubectl.kubernetes.io/last-applied-configuration", func(value string) (string, bool) {
		return "", value != ""
	})},
}

type finder = func(live *unstructured.Unstructured, ours string) (string, bool)

func present(value string) (string, bool) { return value, value != "" }

// reference looks for an owner reference.
func reference(judge func(metav1.OwnerReference) (string, bool)) finder {
	return func(live *unstructured.Unstructured, _ string) (string, bool) {
		for _, ref := range live.GetOwnerReferences() {
			if name, applies := judge(ref); applies {
				return name, true
			}
		}
		return "", false
	}
}

func label(key string, judge func(string) (string, bool)) finder {
	return func(live *unstructured.Unstructured, _ string) (string, bool) { return judge(live.GetLabels()[key]) }
}

func annotation(key string, judge func(string) (string, bool)) finder {
	return func(live *unstructured.Unstructured, _ string) (string, bool) {
		return judge(live.GetAnnotations()[key])
	}
}

// fluxObject looks for the labels that Flux puts on everything that one of its objects makes.
func fluxObject(group, kind string) finder {
	return func(live *unstructured.Unstructured, _ string) (string, bool) {
		name := live.GetLabels()[group+"/name"]
		return kind + " " + joinName(live.GetLabels()[group+"/namespace"], name), name != ""
	}
}

// argoInstance takes the general instance label for Argo CD's, which uses it by default, if Argo CD has written the object.
func argoInstance(live *unstructured.Unstructured, _ string) (string, bool) {
	instance := live.GetLabels()["app.kubernetes.io/instance"]
	_, wrote := writer(live, "argocd-", "argocd")
	return instance, instance != "" && wrote
}

// helmRelease wants the annotations besides the label: what others make of charts has the label only.
func helmRelease(live *unstructured.Unstructured, _ string) (string, bool) {
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

// manager looks for a field manager whose name begins in one of these ways. It names the owner only if it is asked to.
func manager(named string, prefixes ...string) finder {
	return func(live *unstructured.Unstructured, _ string) (string, bool) {
		name, found := writer(live, prefixes...)
		if named == "" {
			name = ""
		}
		return name, found
	}
}

// writer finds a field manager by the beginning of its name. Writes to status and scale are not what makes an owner.
func writer(live *unstructured.Unstructured, prefixes ...string) (name string, found bool) {
	for _, entry := range live.GetManagedFields() {
		begins := func(prefix string) bool { return strings.HasPrefix(entry.Manager, prefix) }
		if entry.Subresource == "" && slices.ContainsFunc(prefixes, begins) {
			return entry.Manager, true
		}
	}
	return "", false
}
