package workload

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Relation is how an object is related to a workload.
type Relation string

const (
	// RelationItself is the workload itself.
	RelationItself Relation = "itself"
	// RelationReferenced is an object that the workload's Pods reference.
	RelationReferenced Relation = "referenced"
	// RelationSelects is an object that selects the workload's Pods: a Service, or a PodDisruptionBudget.
	RelationSelects Relation = "selects"
	// RelationScales is an object that scales the workload.
	RelationScales Relation = "scales"
)

// Values lists the values.
func (Relation) Values() []string {
	return []string{string(RelationItself), string(RelationReferenced), string(RelationSelects), string(RelationScales)}
}

// Related returns the kinds whose objects name a workload or select its Pods.
func Related() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Version: "v1", Kind: "Service"},
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		Autoscalers,
	}
}

// Belongs reports whether an object of one of the [Related] kinds, in the workload's namespace, belongs to the workload, and how it is related to the
// workload.
func Belongs(workload, other *unstructured.Unstructured) (Relation, bool) {
	if workload.GetNamespace() != other.GetNamespace() {
		return "", false
	}
	switch kindOf(other) {
	case schema.GroupKind{Kind: "Service"}:
		selector, _, _ := unstructured.NestedStringMap(other.Object, "spec", "selector")
		return RelationSelects, len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(podLabels(workload)))
	case schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}:
		return RelationSelects, canSelectPods(other, workload)
	case Autoscalers.GroupKind():
		return RelationScales, isAutoscalerOf(other, workload)
	}
	return "", false
}

// canSelectPods reports whether a PodDisruptionBudget selects the workload's Pods. An empty selector selects all Pods of the namespace, so its
// budget belongs to no workload.
func canSelectPods(budget, workload *unstructured.Unstructured) bool {
	raw, _, _ := unstructured.NestedMap(budget.Object, "spec", "selector")
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &selector); err != nil {
		return false
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	return err == nil && !parsed.Empty() && parsed.Matches(labels.Set(podLabels(workload)))
}

func isAutoscalerOf(autoscaler, workload *unstructured.Unstructured) bool {
	target, _, _ := unstructured.NestedStringMap(autoscaler.Object, "spec", "scaleTargetRef")
	version, err := schema.ParseGroupVersion(target["apiVersion"])
	return err == nil && target["name"] == workload.GetName() &&
		schema.GroupKind{Group: version.Group, Kind: target["kind"]} == kindOf(workload)
}

// references are the fields in a Pod's spec that name objects of its namespace, at any depth, with the kind of the object and the field inside
// that has the name (Kubernetes, core/v1: PodSpec).
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

const pullSecretsField = "imagePullSecrets"

// References returns the objects that a workload's Pods reference, sorted by key: ConfigMaps, Secrets, PersistentVolumeClaims, their ServiceAccount, and the
// Service that names the Pods of a StatefulSet. The ServiceAccount "default" is excluded. For a ServiceAccount, References returns the Secrets for image
// pulls.
func References(workload *unstructured.Unstructured) []manifest.Identifier {
	found := map[manifest.Identifier]bool{}
	add := func(kind, name string) {
		if name != "" {
			found[manifest.Identifier{Version: "v1", Kind: kind, Namespace: workload.GetNamespace(), Name: name}] = true
		}
	}
	spec, _ := templateOf(workload)["spec"].(map[string]any)
	collectReferences(spec, add)
	if kindOf(workload) == (schema.GroupKind{Kind: "ServiceAccount"}) {
		collectReferences(map[string]any{pullSecretsField: workload.Object[pullSecretsField]}, add)
	}
	if account := accountOf(spec); account != "default" {
		add("ServiceAccount", account)
	}
	if kindOf(workload).Kind == "StatefulSet" {
		service, _, _ := unstructured.NestedString(workload.Object, "spec", "serviceName")
		add("Service", service)
	}
	return sortByKey(found)
}

// accountOf returns the name of the ServiceAccount in a Pod's spec, also from the deprecated field serviceAccount.
func accountOf(spec map[string]any) string {
	return cmp.Or(textIn(spec, "serviceAccountName"), textIn(spec, "serviceAccount"))
}

func sortByKey(found map[manifest.Identifier]bool) []manifest.Identifier {
	out := make([]manifest.Identifier, 0, len(found))
	for id := range found {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	return out
}

func collectReferences(value any, add func(kind, name string)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			collectReferences(element, add)
		}
	case map[string]any:
		for field, inner := range value {
			if ref, is := references[field]; is {
				if fields, isMap := inner.(map[string]any); isMap {
					add(ref.kind, textIn(fields, ref.field))
					if field == "secret" { // a projected volume has the name in this field
						add(ref.kind, textIn(fields, "name"))
					}
				}
			}
			if secrets, isList := inner.([]any); isList && field == pullSecretsField {
				for _, secret := range secrets {
					fields, _ := secret.(map[string]any)
					add("Secret", textIn(fields, "name"))
				}
				continue
			}
			collectReferences(inner, add)
		}
	}
}

func textIn(fields map[string]any, name string) string {
	text, _ := fields[name].(string)
	return text
}
