package selection

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// InNamespace returns the objects, and sets the namespace of each namespaced object without a namespace, as the installation of a Helm release does. Built-in
// kinds have their usual scope. A kind that a CustomResourceDefinition among the objects defines has the scope in the definition. All other kinds count as
// namespaced. InNamespace does not change the given objects.
func InNamespace(objects []manifest.Object, namespace string) []manifest.Object {
	clusterScoped := map[schema.GroupKind]bool{}
	for _, o := range objects {
		if scope, _, _ := unstructured.NestedString(o.Content.Object, "spec", "scope"); manifest.IsDefinition(o.Identifier) && scope == "Cluster" {
			clusterScoped[manifest.DefinedKind(o.Content)] = true
		}
	}
	out := make([]manifest.Object, len(objects))
	for i, o := range objects {
		kind := o.GroupVersionKind().GroupKind()
		namespaced, known := BuiltInScope(kind)
		if out[i] = o; o.Namespace != "" || known && !namespaced || clusterScoped[kind] {
			continue
		}
		content := o.Content.DeepCopy()
		content.SetNamespace(namespace)
		out[i] = manifest.NewObject(content, o.Envelope)
	}
	return out
}
