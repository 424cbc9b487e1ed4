package kube

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Manager is somebody who owns fields of an object, as metadata.managedFields tells.
type Manager struct {
	Name string
	// Operation is Apply or Update.
	Operation string
	// Subresource is the one written through, "status" for instance; mostly empty.
	Subresource string
	// Time is of the manager's last change; zero if it is not recorded.
	Time metav1.Time
}

// Managers returns the managers of an object in the order of its managedFields.
func Managers(obj *unstructured.Unstructured) []Manager {
	var managers []Manager
	for _, entry := range obj.GetManagedFields() {
		manager := Manager{Name: entry.Manager, Operation: string(entry.Operation), Subresource: entry.Subresource}
		if entry.Time != nil {
			manager.Time = *entry.Time
		}
		managers = append(managers, manager)
	}
	return managers
}
