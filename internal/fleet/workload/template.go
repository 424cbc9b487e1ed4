package workload

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// templates has the path of the Pod template for each kind of workload.
var templates = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template"},
	{Group: "batch", Kind: "CronJob"}:    {"spec", "jobTemplate", "spec", "template"},
}

// Is reports whether objects of a kind are workloads: users create them, and they create Pods from a template.
func Is(kind schema.GroupKind) bool { return templates[kind] != nil }

// Kind is the name of a kind of workload.
type Kind string

// Values lists the names.
func (Kind) Values() []string {
	return []string{"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"}
}

// GroupKind returns the kind with its API group.
func (k Kind) GroupKind() schema.GroupKind {
	for kind := range templates {
		if kind.Kind == string(k) {
			return kind
		}
	}
	return schema.GroupKind{Kind: string(k)}
}

// Lasting returns the kinds of workloads except Job: most Jobs have completed.
func Lasting() []Kind { return []Kind{"Deployment", "StatefulSet", "DaemonSet", "CronJob"} }

func kindOf(u *unstructured.Unstructured) schema.GroupKind { return u.GroupVersionKind().GroupKind() }

// templateOf returns the Pod template of a workload, which is read-only, or nil for other objects.
func templateOf(u *unstructured.Unstructured) map[string]any {
	path := templates[kindOf(u)]
	if path == nil {
		return nil
	}
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	template, _ := found.(map[string]any)
	return template
}

func podLabels(u *unstructured.Unstructured) map[string]string {
	labels, _, _ := unstructured.NestedStringMap(templateOf(u), "metadata", "labels")
	return labels
}
