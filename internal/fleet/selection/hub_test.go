package selection

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// hubKinds are the kinds that the test hub serves.
var hubKinds = []Kind{
	newKind("", "v1", "Namespace", "namespaces", false),
	newKind("", "v1", "ConfigMap", "configmaps", true),
	newKind("", "v1", "Secret", "secrets", true),
	newKind("", "v1", "Service", "services", true),
	newKind("", "v1", "ServiceAccount", "serviceaccounts", true),
	newKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
	newKind("", "v1", "Endpoints", "endpoints", true),
	newKind("", "v1", "Event", "events", true),
	newKind("", "v1", "Pod", "pods", true),
	newKind("apps", "v1", "Deployment", "deployments", true),
	newKind("apps", "v1", "ReplicaSet", "replicasets", true),
	newKind("apps", "v1", "ControllerRevision", "controllerrevisions", true),
	newKind("batch", "v1", "Job", "jobs", true),
	newKind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true),
	newKind("events.k8s.io", "v1", "Event", "events", true),
	newKind("coordination.k8s.io", "v1", "Lease", "leases", true),
	newKind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false),
	newKind("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourcePlacement", "clusterresourceplacements", false),
	newKind("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourceEnvelope", "clusterresourceenvelopes", false),
	newKind("placement.kubernetes-fleet.io", "v1beta1", "ResourceEnvelope", "resourceenvelopes", true),
	{Group: "apps", Version: "v1", Kind: "Scale", Resource: "deployments/scale", Namespaced: true, Verbs: all, Preferred: true},
	{Version: "v1", Kind: "Binding", Resource: "bindings", Namespaced: true, Verbs: []string{"create"}, Preferred: true},
	{Group: "apps", Version: "v1beta1", Kind: "Deployment", Resource: "deployments", Namespaced: true, Verbs: all},
	{Group: "rbac.authorization.k8s.io", Version: "v1beta1", Kind: "ClusterRole", Resource: "clusterroles", Verbs: all},
}

var all = []string{"create", "get", "list", "watch"}

func newKind(group, version, kind, resource string, namespaced bool) Kind {
	return Kind{Group: group, Version: version, Kind: kind, Resource: resource, Namespaced: namespaced, Verbs: all, Preferred: true}
}

// parse parses the manifests of a test.
func parse(t interface{ Fatal(...any) }, text string) []manifest.Object {
	objects, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// hub answers queries from objects. Like some API servers, it returns lists without the kinds of the items.
type hub struct {
	objects []manifest.Object
	batches [][]Query
}

func (h *hub) list(queries []Query) ([][]*unstructured.Unstructured, error) {
	h.batches = append(h.batches, queries)
	answers := make([][]*unstructured.Unstructured, len(queries))
	for i, q := range queries {
		for _, o := range h.objects {
			if o.GroupVersionKind() != q.Kind.groupVersionKind() || o.Namespace != q.Namespace || q.Name != "" && q.Name != o.Name {
				continue
			}
			u := o.Content.DeepCopy()
			delete(u.Object, "apiVersion")
			delete(u.Object, "kind")
			answers[i] = append(answers[i], u)
		}
	}
	return answers, nil
}

func (h *hub) asked() []string {
	var asked []string
	for _, batch := range h.batches {
		for _, q := range batch {
			asked = append(asked, q.Kind.Resource+" "+q.Namespace+"/"+q.Name)
		}
	}
	slices.Sort(asked)
	return asked
}

func names(objects []manifest.Object) []string {
	found := []string{}
	for _, o := range objects {
		found = append(found, o.String())
	}
	return found
}

func identities(ids []manifest.Identifier) []string {
	var found []string
	for _, id := range ids {
		found = append(found, id.String())
	}
	return found
}

// namespace selects Namespaces; name and label may be empty.
func namespace(name, label string, scope placement.SelectionScope) placement.ResourceSelector {
	s := placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: name, SelectionScope: scope}
	if label != "" {
		s.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": label}}
	}
	return s
}

func kind(group, version, kind, name string) placement.ResourceSelector {
	return placement.ResourceSelector{Group: group, Version: version, Kind: kind, Name: name}
}
