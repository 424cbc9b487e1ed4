package workload

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// templates are the kinds that make Pods, with where their Pod template is.
var templates = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template"},
	{Group: "batch", Kind: "CronJob"}:    {"spec", "jobTemplate", "spec", "template"},
}

// Is tells whether the objects of a kind are workloads: whether they make Pods of a template, and nothing else makes them.
func Is(kind schema.GroupKind) bool { return templates[kind] != nil }

// Kind is the name of a kind of workloads.
type Kind string

// Values lists the names.
func (Kind) Values() []string {
	return []string{"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"}
}

// GroupKind is the kind with its API group.
func (k Kind) GroupKind() schema.GroupKind {
	for kind := range templates {
		if kind.Kind == string(k) {
			return kind
		}
	}
	return schema.GroupKind{Kind: string(k)}
}

// Lasting are the kinds of what goes on: most Jobs have ended.
func Lasting() []Kind { return []Kind{"Deployment", "StatefulSet", "DaemonSet", "CronJob"} }

func kindOf(u *unstructured.Unstructured) schema.GroupKind { return u.GroupVersionKind().GroupKind() }

// templateOf is the Pod template of a workload, for reading only; nil for what has none.
func templateOf(u *unstructured.Unstructured) map[string]any {
	path := templates[kindOf(u)]
	if path == nil {
		return nil
	}
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	template, _ := found.(map[string]any)
	return template
}

// podLabels are those of a workload's Pods.
func podLabels(u *unstructured.Unstructured) map[string]string {
	labels, _, _ := unstructured.NestedStringMap(templateOf(u), "metadata", "labels")
	return labels
}
