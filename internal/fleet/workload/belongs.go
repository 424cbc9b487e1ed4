package workload

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Relation is why an object belongs to a workload.
type Relation string

// The relations.
const (
	// RelationItself is the workload.
	RelationItself Relation = "itself"
	// RelationReferenced is what its Pods need.
	RelationReferenced Relation = "referenced"
	// RelationSelects is what selects its Pods: a Service, or a PodDisruptionBudget.
	RelationSelects Relation = "selects"
	// RelationScales is what scales it.
	RelationScales Relation = "scales"
)

// Values lists the values.
func (Relation) Values() []string {
	return []string{string(RelationItself), string(RelationReferenced), string(RelationSelects), string(RelationScales)}
}

// Related are the kinds whose objects may belong to a workload without its naming them: they name it, or select its Pods.
func Related() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Version: "v1", Kind: "Service"},
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		Autoscalers,
	}
}

// Belongs tells whether an object of one of the [Related] kinds, in the workload's namespace, belongs to it.
func Belongs(workload, other *unstructured.Unstructured) (Relation, bool) {
	if workload.GetNamespace() != other.GetNamespace() {
		return "", false
	}
	switch kindOf(other) {
	case schema.GroupKind{Kind: "Service"}:
		selector, _, _ := unstructured.NestedStringMap(other.Object, "spec", "selector")
		return RelationSelects, len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(podLabels(workload)))
	case schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}:
		return RelationSelects, selectsPods(other, workload)
	case Autoscalers.GroupKind():
		return RelationScales, scales(other, workload)
	}
	return "", false
}

// selectsPods reads the label selector of a PodDisruptionBudget. An empty one selects all Pods of the namespace: it is nobody's in particular.
func selectsPods(budget, workload *unstructured.Unstructured) bool {
	written, _, _ := unstructured.NestedMap(budget.Object, "spec", "selector")
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(written, &selector); err != nil {
		return false
	}
	read, err := metav1.LabelSelectorAsSelector(&selector)
	return err == nil && !read.Empty() && read.Matches(labels.Set(podLabels(workload)))
}

func scales(autoscaler, workload *unstructured.Unstructured) bool {
	target, _, _ := unstructured.NestedStringMap(autoscaler.Object, "spec", "scaleTargetRef")
	version, err := schema.ParseGroupVersion(target["apiVersion"])
	return err == nil && target["name"] == workload.GetName() &&
		schema.GroupKind{Group: version.Group, Kind: target["kind"]} == kindOf(workload)
}

// references are the fields of a Pod's spec that name objects of its namespace, whatever they are in: the kind of the object, and the field of
// the value that has the name. (Kubernetes, core/v1: PodSpec.)
var references = map[string]reference{
	"configMap":             {"ConfigMap", "name"},
	"configMapRef":          {"ConfigMap", "name"},
	"configMapKeyRef":       {"ConfigMap", "name"},
	"secret":                {"Secret", "secretName"},
	"secretRef":             {"Secret", "name"},
	"secretKeyRef":          {"Secret", "name"},
	"nodePublishSecretRef":  {"Secret", "name"},
	"azureFile":             {"Secret", "secretName"},
	"persistentVolumeClaim": {"PersistentVolumeClaim", "claimName"},
}

type reference struct{ kind, field string }

// pullSecrets is the field that names the Secrets with which images are pulled, of a Pod's spec and of a ServiceAccount.
const pullSecrets = "imagePullSecrets"

// References are the objects that a workload's Pods need, by key: ConfigMaps, Secrets, claims and the account that the Pods have, and the Service
// that names the Pods of a StatefulSet. What every namespace has by itself is not among them. Those of an account are the Secrets with which its
// Pods pull images.
func References(workload *unstructured.Unstructured) []manifest.Identifier {
	found := map[manifest.Identifier]bool{}
	add := func(kind, name string) {
		if name != "" {
			found[manifest.Identifier{Version: "v1", Kind: kind, Namespace: workload.GetNamespace(), Name: name}] = true
		}
	}
	spec, _ := templateOf(workload)["spec"].(map[string]any)
	named(spec, add)
	if kindOf(workload) == (schema.GroupKind{Kind: "ServiceAccount"}) {
		named(map[string]any{pullSecrets: workload.Object[pullSecrets]}, add)
	}
	if account := textIn(spec, "serviceAccountName"); account != "default" {
		add("ServiceAccount", account)
	}
	if kindOf(workload).Kind == "StatefulSet" {
		service, _, _ := unstructured.NestedString(workload.Object, "spec", "serviceName")
		add("Service", service)
	}
	return sorted(found)
}

// sorted returns objects by key.
func sorted(found map[manifest.Identifier]bool) []manifest.Identifier {
	out := make([]manifest.Identifier, 0, len(found))
	for id := range found {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	return out
}

// named tells the names of objects in a value of a Pod's spec.
func named(value any, add func(kind, name string)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			named(element, add)
		}
	case map[string]any:
		for field, inner := range value {
			if ref, is := references[field]; is {
				if fields, isMap := inner.(map[string]any); isMap {
					add(ref.kind, textIn(fields, ref.field))
					if field == "secret" { // that of a projected volume
						add(ref.kind, textIn(fields, "name"))
					}
				}
			}
			if secrets, isList := inner.([]any); isList && field == pullSecrets {
				for _, secret := range secrets {
					fields, _ := secret.(map[string]any)
					add("Secret", textIn(fields, "name"))
				}
				continue
			}
			named(inner, add)
		}
	}
}

func textIn(fields map[string]any, name string) string {
	text, _ := fields[name].(string)
	return text
}
