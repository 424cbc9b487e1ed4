package manifest

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Identifier identifies a placed object as KubeFleet's ResourceIdentifier does: by group, version, kind, namespace and name, and by its
// envelope, if any.
type Identifier struct {
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version"`
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	Envelope  *Envelope `json:"envelope,omitempty"`
}

// Envelope identifies the object that contains another one, as KubeFleet's EnvelopeIdentifier does.
type Envelope struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	// Type is ConfigMap, ResourceEnvelope or ClusterResourceEnvelope.
	Type string `json:"type"`
}

// String returns the text for users: "ResourceEnvelope web/quota".
func (e Envelope) String() string {
	if e.Namespace == "" {
		return e.Type + " " + e.Name
	}
	return e.Type + " " + e.Namespace + "/" + e.Name
}

// GroupVersionKind returns the kind with its API version.
func (id Identifier) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: id.Group, Version: id.Version, Kind: id.Kind}
}

// Key identifies an object on a cluster. It has no version, because an object is the same in all versions of its API, and no envelope, because
// two envelopes with the same object refer to one object on the cluster.
type Key struct {
	Group, Kind, Namespace, Name string
}

// Key returns the identity of the object on a cluster.
func (id Identifier) Key() Key {
	return Key{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}

// String returns the text for users: "Deployment web/web" or "Namespace web", with the API group for kinds outside Kubernetes.
func (id Identifier) String() string { return id.Key().String() }

// String returns the text for users: "Deployment web/web" or "Namespace web", with the API group for kinds outside Kubernetes.
func (k Key) String() string {
	var b strings.Builder
	b.WriteString(k.Kind)
	if strings.Contains(k.Group, ".") && !strings.HasSuffix(k.Group, ".k8s.io") {
		b.WriteString("." + k.Group)
	}
	b.WriteByte(' ')
	if k.Namespace != "" {
		b.WriteString(k.Namespace + "/")
	}
	b.WriteString(k.Name)
	return b.String()
}

// Compare orders keys by group, kind, namespace and name, for a stable order of lists.
func (k Key) Compare(other Key) int {
	return cmp.Or(
		cmp.Compare(k.Group, other.Group),
		cmp.Compare(k.Kind, other.Kind),
		cmp.Compare(k.Namespace, other.Namespace),
		cmp.Compare(k.Name, other.Name),
	)
}
