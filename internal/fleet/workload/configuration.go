package workload

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// markPrefixes are the prefixes of labels and annotations that belong to controllers of a cluster or fleet, or that mark an object's owner.
// They would be wrong on another cluster.
var markPrefixes = []string{
	"applyset.kubernetes.io/", "argocd.argoproj.io/", "autoscaling.alpha.kubernetes.io/", "config.k8s.io/owning-inventory",
	"control-plane.alpha.kubernetes.io/",
	"deployment.kubernetes.io/", "deprecated.daemonset.template.generation", "fleet.terraform.io/", "helm.toolkit.fluxcd.io/", "kapp.k14s.io/",
	"karmada.io/", "kubeadmiral.io/",
	kubefleetapi.Prefix, "kustomize.toolkit.fluxcd.io/", "latestreplicaset.kubeadmiral.io/", "meta.helm.sh/", "pv.kubernetes.io/",
	"resourceset.fluxcd.controlplane.io/",
}

// jobLabels are labels that the Job controller adds to the Pods of a Job, besides those of the selector.
var jobLabels = []string{"job-name", "batch.kubernetes.io/job-name"}

// Configuration returns the user's configuration of an object for another cluster, as far as it can be determined. It removes the metadata that the API
// server sets, status and owners, values that the cluster allocated (addresses, ports, tokens), and data of controllers. Defaults remain, because they cannot
// be distinguished from the user's values. From a Pod template, Configuration removes only the labels that the Job controller has added, and a
// creationTimestamp of null: any other change of a template recreates the Pods.
func Configuration(live *unstructured.Unstructured) *unstructured.Unstructured {
	u := selection.Strip(live)
	for _, field := range []string{"finalizers", "generateName", "deletionGracePeriodSeconds"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	removeMarks(u, "labels")
	removeMarks(u, "annotations")
	switch kindOf(u) {
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		stripJob(u)
	case schema.GroupKind{Kind: "ServiceAccount"}:
		unstructured.RemoveNestedField(u.Object, "secrets")
	}
	for _, path := range templates {
		removeNull(u.Object, append(slices.Clone(path), "metadata", "creationTimestamp"))
	}
	return u
}

func removeMarks(u *unstructured.Unstructured, field string) {
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", field)
	entries, _ := found.(map[string]any)
	for key := range entries {
		if slices.ContainsFunc(markPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			delete(entries, key)
		}
	}
	if len(entries) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
}

// stripJob removes a Job's selector and the Pod labels that the Job controller generated, unless the user wrote the selector.
func stripJob(u *unstructured.Unstructured) {
	if manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector"); manual {
		return
	}
	unstructured.RemoveNestedField(u.Object, "spec", "selector")
	for _, label := range jobLabels {
		unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels", label)
	}
}

// removeNull removes the field at a path if its value is null. Serializers write some fields although they have no value.
func removeNull(object map[string]any, path []string) {
	if value, found, err := unstructured.NestedFieldNoCopy(object, path...); err == nil && found && value == nil {
		unstructured.RemoveNestedField(object, path...)
	}
}

// Unfit reports whether an object cannot be handed over to a placement, and why. The reason follows "because" in a sentence.
func Unfit(live *unstructured.Unstructured) (reason string, unfit bool) {
	if reason, unfit := UnfitKind(kindOf(live)); unfit {
		return reason, true
	}
	if live.GetDeletionTimestamp() != nil {
		return "it is being deleted", true
	}
	if owner := metav1.GetControllerOfNoCopy(live); owner != nil {
		return "the " + owner.Kind + " " + owner.Name + " creates it", true
	}
	if IsEverywhere(live) {
		return "every cluster has its own", true
	}
	return "", false
}

// IsEverywhere reports whether Kubernetes itself creates this object in every namespace.
func IsEverywhere(live *unstructured.Unstructured) bool {
	switch kindOf(live) {
	case schema.GroupKind{Kind: "ServiceAccount"}:
		return live.GetName() == "default"
	case schema.GroupKind{Kind: "ConfigMap"}:
		return live.GetName() == "kube-root-ca.crt"
	}
	return false
}

// IsSystemNamespace reports whether a namespace belongs to Kubernetes or to a fleet.
func IsSystemNamespace(namespace string) bool {
	return strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "fleet-")
}

// IsSystem reports whether an object belongs to Kubernetes or to a fleet by its namespace, or is such a namespace.
func IsSystem(kind schema.GroupKind, namespace, name string) bool {
	return IsSystemNamespace(namespace) || kind == schema.GroupKind{Kind: "Namespace"} && IsSystemNamespace(name)
}

// UnfitKind reports whether no object of a kind can be handed over, and why. The objects of such a kind need not be read.
func UnfitKind(kind schema.GroupKind) (reason string, unfit bool) {
	switch kind {
	case schema.GroupKind{Kind: "Secret"}:
		return "the state would contain its values", true
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return "its removal deletes its data, which other clusters do not have", true
	case schema.GroupKind{Kind: "Pod"}:
		return "a Pod cannot be handed over without being recreated", true
	}
	return "", false
}
