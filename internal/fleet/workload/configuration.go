package workload

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// markPrefixes are those of labels and annotations that a cluster's controllers, or those of a fleet, keep on an object for themselves, and of
// those by which whoever looks after an object knows it: on another cluster they would say what is not so.
var markPrefixes = []string{
	"applyset.kubernetes.io/", "argocd.argoproj.io/", "autoscaling.alpha.kubernetes.io/", "control-plane.alpha.kubernetes.io/",
	"deployment.kubernetes.io/", "deprecated.daemonset.template.generation", "fleet.terraform.io/", "helm.toolkit.fluxcd.io/", "kubeadmiral.io/",
	"kubernetes-fleet.io/", "kustomize.toolkit.fluxcd.io/", "latestreplicaset.kubeadmiral.io/", "meta.helm.sh/", "pv.kubernetes.io/",
	"resourceset.fluxcd.controlplane.io/",
}

// jobLabels are those that the Job controller puts on the Pods of a Job, besides the ones that the selector has.
var jobLabels = []string{"job-name", "batch.kubernetes.io/job-name"}

// Configuration is what somebody has written of an object, as far as that can be told, so that another cluster can have it: without identity,
// status and owners, without what the cluster gave out (addresses, ports, volumes, tokens), and without what controllers keep on it. Defaults
// stay: nobody can tell them from what was written. A Pod template stays as it is, annotations included, because every change of it
// makes new Pods.
func Configuration(live *unstructured.Unstructured) *unstructured.Unstructured {
	u := selection.Strip(live)
	for _, field := range []string{"finalizers", "generateName", "deletionGracePeriodSeconds"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	withoutMarks(u, "labels")
	withoutMarks(u, "annotations")
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

func withoutMarks(u *unstructured.Unstructured, field string) {
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

// stripJob removes the rest of what the Job controller has made up of a Job's selector.
func stripJob(u *unstructured.Unstructured) {
	if manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector"); manual {
		return
	}
	unstructured.RemoveNestedField(u.Object, "spec", "selector")
	for _, label := range jobLabels {
		unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels", label)
	}
}

// removeNull removes a field that serializers write though it has no value.
func removeNull(object map[string]any, path []string) {
	if value, found, err := unstructured.NestedFieldNoCopy(object, path...); err == nil && found && value == nil {
		unstructured.RemoveNestedField(object, path...)
	}
}

// Unfit tells why an object is nothing to hand over; the reason is to be read after "because".
func Unfit(live *unstructured.Unstructured) (reason string, unfit bool) {
	if reason, unfit := UnfitKind(kindOf(live)); unfit {
		return reason, true
	}
	if live.GetDeletionTimestamp() != nil {
		return "it is being deleted", true
	}
	if owner := metav1.GetControllerOfNoCopy(live); owner != nil {
		return "the " + owner.Kind + " " + owner.Name + " makes it", true
	}
	if IsEverywhere(live) {
		return "every cluster has its own", true
	}
	return "", false
}

// IsEverywhere tells whether Kubernetes itself makes such an object in every namespace.
func IsEverywhere(live *unstructured.Unstructured) bool {
	switch kindOf(live) {
	case schema.GroupKind{Kind: "ServiceAccount"}:
		return live.GetName() == "default"
	case schema.GroupKind{Kind: "ConfigMap"}:
		return live.GetName() == "kube-root-ca.crt"
	}
	return false
}

// UnfitKind tells why no object of a kind is to be handed over, so that none has to be read.
func UnfitKind(kind schema.GroupKind) (reason string, unfit bool) {
	switch kind {
	case schema.GroupKind{Kind: "Secret"}:
		return "its values would stand in the state", true
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return "whoever removes it removes its data, and another cluster has none of that", true
	case schema.GroupKind{Kind: "Pod"}:
		return "a Pod cannot be handed over without being made anew", true
	}
	return "", false
}
