package takeover

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// ownerRule recognizes one kind of owner by its marks on an object.
type ownerRule struct {
	kind      OwnerKind
	exclusive bool
	mark      string
	// at is the field that contains the mark; nil for a rule about field managers.
	at []string
	// managers are prefixes of the names of field managers, for a rule about field managers.
	managers []string
	// find returns the name of the owner, which may be empty.
	find matchFunc
}

// ownerRules are sorted by certainty: ownership claims first, then tool marks, then field managers. Flux and Argo CD precede Helm, because
// objects that they create from charts have Helm's marks as well. Tools for manual changes precede only the components of Kubernetes.
var ownerRules = []ownerRule{
	{
		kind: OwnerKubeFleet, exclusive: true, mark: "owner reference of kind AppliedWork in " + kubefleetapi.AppliedWorkAPIVersion, at: references,
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) { return ref.Name, isAppliedWork(ref) }),
	},
	{
		kind: OwnerKubeAdmiral, exclusive: true, mark: "label kubeadmiral.io/managed: \"true\"", at: labelAt("kubeadmiral.io/managed"),
		find: matchLabel("kubeadmiral.io/managed", func(value string) (string, bool) { return "", value == "true" }),
	},
	{
		kind: OwnerUnrecorded, mark: "label " + applyset.PartOfLabel + " with the placement's own ID, on an object that is not in its record",
		at: labelAt(applyset.PartOfLabel),
		find: func(live *unstructured.Unstructured, ours Ours) (string, bool) {
			id := applyset.PartOf(live)
			return "", id != "" && id == ours.ApplySet
		},
	},
	{
		kind: OwnerApplySet, mark: "label " + applyset.PartOfLabel + " with another set's ID", at: labelAt(applyset.PartOfLabel),
		find: func(live *unstructured.Unstructured, ours Ours) (string, bool) {
			id := applyset.PartOf(live)
			return id, id != "" && id != ours.ApplySet
		},
	},
	{
		kind: OwnerController, mark: "owner reference with controller: true", at: references,
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) {
			return ref.Kind + " " + ref.Name, ref.Controller != nil && *ref.Controller
		}),
	},
	fluxRule("kustomize.toolkit.fluxcd.io", "Kustomization"),
	fluxRule("helm.toolkit.fluxcd.io", "HelmRelease"),
	fluxRule("resourceset.fluxcd.controlplane.io", "ResourceSet"),
	{
		kind: OwnerArgoCD, mark: "annotation argocd.argoproj.io/tracking-id that names the object itself", at: annotationAt("argocd.argoproj.io/tracking-id"),
		find: findArgoTracking,
	},
	labelRule(OwnerArgoCD, "argocd.argoproj.io/instance", acceptNonEmpty),
	{
		kind: OwnerArgoCD, mark: "label app.kubernetes.io/instance on an object written by a field manager argocd…", at: labelAt("app.kubernetes.io/instance"),
		find: findArgoInstance,
	},
	{
		kind: OwnerHelm, mark: "label app.kubernetes.io/managed-by: Helm with annotation meta.helm.sh/release-name",
		at:   annotationAt("meta.helm.sh/release-name"),
		find: findHelmRelease,
	},
	{
		kind: OwnerTool, mark: "label karmada.io/managed: \"true\"", at: labelAt("karmada.io/managed"),
		find: matchLabel("karmada.io/managed", func(value string) (string, bool) { return "Karmada", value == "true" }),
	},
	{
		kind: OwnerTool, mark: "label kapp.k14s.io/app", at: labelAt("kapp.k14s.io/app"),
		find: matchLabel("kapp.k14s.io/app", func(value string) (string, bool) { return "kapp (app " + value + ")", value != "" }),
	},
	{
		kind: OwnerTool, mark: "annotation config.k8s.io/owning-inventory", at: annotationAt("config.k8s.io/owning-inventory"),
		find: matchAnnotation("config.k8s.io/owning-inventory", func(value string) (string, bool) {
			return "the inventory " + value + " of kpt or Config Sync", value != ""
		}),
	},
	{
		kind: OwnerTool, mark: "label app.kubernetes.io/managed-by: pulumi", at: labelAt("app.kubernetes.io/managed-by"),
		find: matchLabel("app.kubernetes.io/managed-by", func(value string) (string, bool) { return "Pulumi", value == "pulumi" }),
	},
	{
		kind: OwnerController, mark: "any other owner reference", at: references,
		find: matchReference(func(ref metav1.OwnerReference) (string, bool) { return ref.Kind + " " + ref.Name, true }),
	},
	fieldManagerRule(OwnerFlux, unnamed, "kustomize-controller", "helm-controller", "flux-operator"),
	fieldManagerRule(OwnerArgoCD, unnamed, "argocd"),
	fieldManagerRule(OwnerHelm, unnamed, "helm", "Helm"),
	fieldManagerRule(OwnerTerraform, sameName, "Terraform", "terraform", "HashiCorp", "OpenTofu"),
	fieldManagerRule(OwnerTool, func(string) string { return "Pulumi" }, "pulumi"),
	{
		kind: OwnerReleased, mark: "field manager " + FieldManager + " without the label of a placement, outside the namespaces kube-… and fleet-…",
		managers: []string{FieldManager}, find: findReleased,
	},
	fieldManagerRule(OwnerTerraform, sameName, FieldManager),
	fieldManagerRule(OwnerKubectl, unnamed, "kubectl"),
	{
		kind: OwnerKubectl, mark: "annotation kubectl.kubernetes.io/last-applied-configuration",
		at:   annotationAt("kubectl.kubernetes.io/last-applied-configuration"),
		find: matchAnnotation("kubectl.kubernetes.io/last-applied-configuration", func(value string) (string, bool) { return "", value != "" }),
	},
	{
		kind: OwnerKubernetes, mark: "only field managers " + strings.Join(kubernetesManagers, "…, ") + "…", managers: kubernetesManagers,
		find: findKubernetes,
	},
}

var references = []string{"metadata", "ownerReferences"}

func labelAt(key string) []string      { return []string{"metadata", "labels", key} }
func annotationAt(key string) []string { return []string{"metadata", "annotations", key} }

// kubernetesManagers are the prefixes of the field managers of the components of Kubernetes that create objects.
var kubernetesManagers = []string{
	"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "cloud-controller-manager", "api-priority-and-fairness-config-",
}

type matchFunc = func(live *unstructured.Unstructured, ours Ours) (string, bool)

func acceptNonEmpty(value string) (string, bool) { return value, value != "" }

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

func labelRule(kind OwnerKind, key string, match func(string) (string, bool)) ownerRule {
	return ownerRule{kind: kind, mark: "label " + key, at: labelAt(key), find: matchLabel(key, match)}
}

// fluxRule returns a rule for the labels that Flux sets on all objects that it creates from one of its custom resources.
func fluxRule(group, kind string) ownerRule {
	return ownerRule{
		kind: OwnerFlux, mark: "labels " + group + "/name and namespace", at: labelAt(group + "/name"),
		find: func(live *unstructured.Unstructured, _ Ours) (string, bool) {
			name := live.GetLabels()[group+"/name"]
			return kind + " " + joinName(live.GetLabels()[group+"/namespace"], name), name != ""
		},
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

// findArgoInstance attributes the common instance label to Argo CD, which used it by default before version 3.0, if Argo CD has written the object.
func findArgoInstance(live *unstructured.Unstructured, _ Ours) (string, bool) {
	instance := live.GetLabels()["app.kubernetes.io/instance"]
	_, wrote := findFieldManager(live, "argocd")
	return instance, instance != "" && wrote
}

// findHelmRelease requires an annotation as well as the label: objects that other tools create from charts have only the label.
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

func sameName(manager string) string { return manager }
func unnamed(string) string          { return "" } // for field managers that do not identify the owner

func fieldManagerRule(kind OwnerKind, nameOf func(manager string) string, prefixes ...string) ownerRule {
	return ownerRule{
		kind: kind, mark: "field manager " + strings.Join(prefixes, "…, ") + "…", managers: prefixes,
		find: func(live *unstructured.Unstructured, _ Ours) (string, bool) {
			name, found := findFieldManager(live, prefixes...)
			if !found {
				return "", false
			}
			return nameOf(name), true
		},
	}
}

// findFieldManager finds a field manager by the prefix of its name. Writes to status and scale do not make a manager the owner.
func findFieldManager(live *unstructured.Unstructured, prefixes ...string) (name string, found bool) {
	for manager := range diff.Managers(live) {
		if manager.Subresource == "" && hasPrefix(manager.Name, prefixes) {
			return manager.Name, true
		}
	}
	return "", false
}

// hasPrefix reports whether a field manager has one of the prefixes. For the provider's own field manager, a prefix must be the whole name: "terraform" does
// not match it.
func hasPrefix(name string, prefixes []string) bool {
	if name == FieldManager {
		return slices.Contains(prefixes, name)
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// findReleased finds objects that a placement left on the cluster: they have the provider's field manager, and no longer the label of a placement. IsSystem
// excludes the provider's own records, which have the field manager too.
func findReleased(live *unstructured.Unstructured, _ Ours) (string, bool) {
	_, wrote := findFieldManager(live, FieldManager)
	return "", wrote && applyset.PartOf(live) == "" && !workload.IsSystem(live.GroupVersionKind().GroupKind(), live.GetNamespace(), live.GetName())
}

// findKubernetes matches objects that only components of Kubernetes have written: these components also write to objects of others. It also matches
// the objects that Kubernetes creates in every namespace, because a ServiceAccount without content has no field manager.
func findKubernetes(live *unstructured.Unstructured, _ Ours) (string, bool) {
	only := false
	for manager := range diff.Managers(live) {
		if manager.Subresource != "" {
			continue
		}
		if !hasPrefix(manager.Name, kubernetesManagers) {
			return "", false
		}
		only = true
	}
	return "", only || workload.IsEverywhere(live)
}
