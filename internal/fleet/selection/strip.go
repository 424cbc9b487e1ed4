package selection

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// strippedMetadata are the fields of metadata that are only valid on the hub.
var strippedMetadata = []string{
	"resourceVersion", "generation", "uid", "selfLink", "deletionTimestamp", "managedFields", "creationTimestamp", "ownerReferences",
}

// strippedAnnotations are the annotations that kubectl and the hub's Deployment controller write.
var strippedAnnotations = []string{"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision"}

// Strip returns a copy of a hub object without the fields that the hub's API server and controllers added, as KubeFleet stores it in a
// snapshot. Labels, other annotations and finalizers remain.
func Strip(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	for _, field := range strippedMetadata {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	if annotations, ok, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "annotations"); ok {
		stripAnnotations(u, annotations)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	switch {
	case u.GetKind() == "Service" && u.GetAPIVersion() == "v1":
		stripService(u)
	case u.GetKind() == "Job" && u.GetAPIVersion() == "batch/v1":
		stripJob(u)
	}
	return u
}

func stripAnnotations(u *unstructured.Unstructured, annotations any) {
	values, _ := annotations.(map[string]any)
	for _, key := range strippedAnnotations {
		delete(values, key)
	}
	if len(values) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
	}
}

// stripService removes the addresses and ports that the hub allocated; each cluster allocates its own.
func stripService(u *unstructured.Unstructured) {
	if ip, ok, _ := unstructured.NestedString(u.Object, "spec", "clusterIP"); ok && ip != "None" {
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIPs")
	}
	unstructured.RemoveNestedField(u.Object, "spec", "healthCheckNodePort")
	ports, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "ports")
	list, _ := ports.([]any)
	for _, port := range list {
		if fields, ok := port.(map[string]any); ok {
			delete(fields, "nodePort")
		}
	}
}

// stripJob removes the generated labels from the selector and the Pod template, and the creationTimestamp of the template. It does nothing if the user wrote
// the selector.
func stripJob(u *unstructured.Unstructured) {
	if manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector"); manual {
		return
	}
	for _, label := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		unstructured.RemoveNestedField(u.Object, "spec", "selector", "matchLabels", label)
		unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels", label)
	}
	unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "creationTimestamp")
}
