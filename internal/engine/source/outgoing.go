package source

import (
	"encoding/base64"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// RevisionAnnotation counts the rollouts of a Deployment on the cluster on which it runs.
const RevisionAnnotation = "deployment.kubernetes.io/revision"

// foreignAnnotations describe the history of an object on another cluster.
var foreignAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration", RevisionAnnotation, kube.DefaultLastAppliedAnnotation,
}

// Outgoing returns the object to send to a cluster. It removes the status, the owner references, and the fields and annotations that describe the object on
// another cluster (KubeFleet, pkg/controllers/workapplier/apply.go). It moves the stringData of a Secret into data, and keeps finalizers, as KubeFleet does.
func Outgoing(content *unstructured.Unstructured) *unstructured.Unstructured {
	out := manifest.WithoutServerSet(content, "ownerReferences")
	for _, annotation := range foreignAnnotations {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations", annotation)
	}
	if len(out.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations")
	}
	unstructured.RemoveNestedField(out.Object, "status")
	encodeStringData(out)
	return out
}

// encodeStringData moves a Secret's stringData into data, as an API server does when it stores the Secret. Otherwise a key that is removed
// from stringData would remain in data forever, because neither way of applying connects the two fields. Values that are not strings are left
// to the API server to reject.
func encodeStringData(u *unstructured.Unstructured) {
	if u.GroupVersionKind() != (schema.GroupVersionKind{Version: "v1", Kind: "Secret"}) {
		return
	}
	texts, found, err := unstructured.NestedStringMap(u.Object, "stringData")
	data, _ := u.Object["data"].(map[string]any)
	if !found || err != nil || data == nil && u.Object["data"] != nil {
		return
	}
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	u.Object["data"] = data
	delete(u.Object, "stringData")
}

// withoutReplacedData returns a Secret without the values of data whose keys are in stringData as well: an API server stores those of stringData. It returns any
// other object unchanged.
func withoutReplacedData(u *unstructured.Unstructured) *unstructured.Unstructured {
	texts, isText := u.Object["stringData"].(map[string]any)
	data, isData := u.Object["data"].(map[string]any)
	if !isText || !isData || u.GroupVersionKind() != (schema.GroupVersionKind{Version: "v1", Kind: "Secret"}) {
		return u
	}
	out := u.DeepCopy()
	left := maps.Clone(data)
	maps.DeleteFunc(left, func(key string, _ any) bool {
		_, replaced := texts[key]
		return replaced
	})
	if out.Object["data"] = left; len(left) == 0 {
		delete(out.Object, "data")
	}
	return out
}
