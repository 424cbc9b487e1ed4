package manifest

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Identifier names one placed object the way KubeFleet's ResourceIdentifier does: by group, version, kind, namespace and name, and by
// the envelope it came in if it came in one.
type Identifier struct {
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version"`
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	Envelope  *Envelope `json:"envelope,omitempty"`
}

// Envelope names the object that wrapped another one, as KubeFleet's EnvelopeIdentifier does.
type Envelope struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	// Type is ConfigMap, ResourceEnvelope or ClusterResourceEnvelope.
	Type string `json:"type"`
}

// String is what users read: "ResourceEnvelope web/quota".
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

// Key identifies the object on a cluster: without the version, because an object has one identity under all versions of its API, and
// without the envelope, because two envelopes that hold the same object mean the same object.
type Key struct {
	Group, Kind, Namespace, Name string
}

// Key returns the identity of the object on a cluster.
func (id Identifier) Key() Key {
	return Key{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}

// String is what users read: "Deployment web/web" or "Namespace web", with the API group for kinds that are not Kubernetes' own.
func (id Identifier) String() string { return id.Key().String() }

// String is what users read: "Deployment web/web" or "Namespace web", with the API group for kinds that are not Kubernetes' own.
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

// Compare orders identities by group, kind, namespace and name; it is only there to make lists stable.
func (k Key) Compare(other Key) int {
	return cmp.Or(
		cmp.Compare(k.Group, other.Group),
		cmp.Compare(k.Kind, other.Kind),
		cmp.Compare(k.Namespace, other.Namespace),
		cmp.Compare(k.Name, other.Name),
	)
}
