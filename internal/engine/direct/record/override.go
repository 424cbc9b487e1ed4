package record

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

const overrideKey = "override.json"

// Override is an override as every member keeps it, so that a placement on a member is decided by what that member says.
type Override struct {
	Namespace  string                `json:"namespace,omitempty"`
	Name       string                `json:"name"`
	Cluster    *override.ClusterSpec `json:"clusterResourceOverride,omitempty"`
	Namespaced *override.Spec        `json:"resourceOverride,omitempty"`
}

// OverrideName is the name of an override's ConfigMap. It is unique: a namespace has no dots.
func OverrideName(reference override.Reference) string {
	if reference.Namespace == "" {
		return "cluster-resource-override-" + reference.Name
	}
	return "resource-override-" + reference.Namespace + "." + reference.Name
}

// Encode writes the record.
func (o Override) Encode() (*unstructured.Unstructured, error) {
	name := OverrideName(override.Reference{Namespace: o.Namespace, Name: o.Name})
	return newConfigMap(name, OverrideKind, map[string]any{overrideKey: o})
}

// DecodeOverride reads the record.
func DecodeOverride(u *unstructured.Unstructured) (*Override, error) {
	var out Override
	if err := decodeKey(u, overrideKey, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AddTo adds the override to those of a member.
func (o Override) AddTo(all *override.Overrides) {
	if o.Cluster != nil {
		all.Cluster = append(all.Cluster, override.ClusterResourceOverride{Name: o.Name, Spec: *o.Cluster})
	}
	if o.Namespaced != nil {
		all.Namespaced = append(all.Namespaced, override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: *o.Namespaced})
	}
}

// Text is the same for two records that say the same.
func (o Override) Text() string {
	// The record was decoded from JSON, so it encodes.
	text, _ := json.Marshal(o)
	return string(text)
}
