package selection

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type namespacedName struct{ namespace, name string }

// neverPlacedReason returns why an object is excluded although others of its kind are placed: it is being deleted, or a controller or API server creates it on
// every cluster. The reason follows "because" in a sentence. KubeFleet's hub also excludes PersistentVolumeClaims if it is configured to run workloads, which
// is not the default.
func neverPlacedReason(kind schema.GroupVersionKind, u *unstructured.Unstructured, services map[namespacedName]bool) (reason string, never bool) {
	if u.GetDeletionTimestamp() != nil {
		return "it is being deleted", true
	}
	switch kind {
	case schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}:
		return "its owner creates it on every cluster", len(u.GetOwnerReferences()) > 0
	case schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}:
		return "every cluster has its own", u.GetName() == "kube-root-ca.crt"
	case schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}:
		return "every namespace has its own", u.GetName() == "default"
	case schema.GroupVersionKind{Version: "v1", Kind: "Secret"}:
		secretType, _, _ := unstructured.NestedString(u.Object, "type")
		return "every cluster issues its own tokens", secretType == "kubernetes.io/service-account-token"
	case endpointsKind:
		return "its Service creates it on every cluster", services[namespacedName{u.GetNamespace(), u.GetName()}]
	case schema.GroupVersionKind{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"}:
		_, managed := u.GetLabels()["endpointslice.kubernetes.io/managed-by"]
		return "a controller creates it on every cluster", managed
	}
	return "", false
}

var (
	endpointsKind = schema.GroupVersionKind{Version: "v1", Kind: "Endpoints"}
	serviceKind   = schema.GroupVersionKind{Version: "v1", Kind: "Service"}
)
