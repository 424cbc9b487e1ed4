package controlplane

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// managedByLabel marks an object that an engine creates on a control plane for a member, such as its ServiceAccount or its credentials. The value is provider.
const managedByLabel, provider = "app.kubernetes.io/managed-by", "terraform-provider-fleet"

// MarkCreated sets the label of an object that the engine creates for itself. The engine deletes only objects with this label.
func MarkCreated(u *unstructured.Unstructured) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[managedByLabel] = provider
	u.SetLabels(labels)
}

// IsCreated reports whether an object has the label that [MarkCreated] sets.
func IsCreated(u *unstructured.Unstructured) bool { return u.GetLabels()[managedByLabel] == provider }
