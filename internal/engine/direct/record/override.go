package record

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const overrideKey = "override.json"

// Override is the record of an override. Every member has one, so that a placement on a member depends only on records of that member.
type Override struct {
	Namespace  string                `json:"namespace,omitempty"`
	Name       string                `json:"name"`
	Cluster    *override.ClusterSpec `json:"clusterResourceOverride,omitempty"`
	Namespaced *override.Spec        `json:"resourceOverride,omitempty"`
	ID         string                `json:"id,omitempty"`
	Sensitive  []override.Position   `json:"sensitiveValues,omitempty"`
	// InSecret reports that a Secret of the same name has the complete override, and the ConfigMap omits the values.
	InSecret bool `json:"valuesInSecret,omitempty"`
}

// OverrideName returns the name of an override's ConfigMap and Secret. It is unique, because the name of a namespace has no dots.
func OverrideName(reference override.Reference) string {
	if reference.Namespace == "" {
		return "cluster-resource-override-" + reference.Name
	}
	return "resource-override-" + reference.Namespace + "." + reference.Name
}

// Encode returns the records of the override. secret is nil unless the override has sensitive values or can set values of a Secret. A ConfigMap would expose
// these values.
func (o Override) Encode() (configMap, secret *unstructured.Unstructured, err error) {
	name := OverrideName(override.Reference{Namespace: o.Namespace, Name: o.Name})
	o.Sensitive = o.policy().Sensitive()
	o.InSecret = o.Cluster != nil && o.Cluster.GivesSecrets() || o.Namespaced != nil && o.Namespaced.GivesSecrets()
	if !o.InSecret {
		configMap, err = newConfigMap(name, OverrideKind, map[string]any{overrideKey: o})
		return configMap, nil, err
	}
	whole, err := json.Marshal(o)
	if err != nil {
		return nil, nil, err
	}
	secret = newRecord(SecretKind, name, OverrideKind, map[string]any{
		"type": "fleet.terraform.io/override", "data": map[string]any{overrideKey: base64.StdEncoding.EncodeToString(whole)},
	})
	configMap, err = newConfigMap(name, OverrideKind, map[string]any{overrideKey: o.withoutValues()})
	return configMap, secret, err
}

func (o Override) policy() *override.Policy {
	switch {
	case o.Cluster != nil:
		return o.Cluster.Policy
	case o.Namespaced != nil:
		return o.Namespaced.Policy
	default:
		return nil
	}
}

func (o Override) withoutValues() Override {
	if o.Cluster != nil {
		spec := *o.Cluster
		spec.Policy = spec.Policy.WithoutValues()
		o.Cluster = &spec
	}
	if o.Namespaced != nil {
		spec := *o.Namespaced
		spec.Policy = spec.Policy.WithoutValues()
		o.Namespaced = &spec
	}
	return o
}

// DecodeOverride decodes the ConfigMap of an override. The result has no values if they are in a Secret.
func DecodeOverride(u *unstructured.Unstructured) (*Override, error) {
	var out Override
	if err := decodeKey(u, overrideKey, &out); err != nil {
		return nil, err
	}
	out.policy().MarkSensitive(out.Sensitive)
	return &out, nil
}

// WholeOverride decodes the ConfigMap of an override. If the values are in a Secret, it returns the override in the Secret. If this Secret is missing,
// kube.IsNotFound reports true for the error.
func WholeOverride(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured) (*Override, error) {
	known, err := DecodeOverride(u)
	if err != nil || !known.InSecret {
		return known, err
	}
	secret, err := cluster.Get(ctx, SecretKind, Namespace, u.GetName())
	if err != nil {
		return nil, fmt.Errorf("the Secret %s/%s with the values of the override cannot be read (if it is missing, the next apply of the override writes it again): %w",
			Namespace, u.GetName(), err)
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", overrideKey)
	whole, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		known = &Override{}
		err = json.Unmarshal(whole, known)
	}
	if err != nil {
		// The parser's error may quote the secret.
		return nil, fmt.Errorf("the Secret %s/%s is not readable; this provider wrote it, and it has been changed since. Delete it: the next apply "+
			"of the override writes it again", Namespace, u.GetName())
	}
	known.policy().MarkSensitive(known.Sensitive)
	return known, nil
}

// AddTo adds the override to the overrides of a member.
func (o Override) AddTo(all *override.Overrides) {
	if o.Cluster != nil {
		all.Cluster = append(all.Cluster, override.ClusterResourceOverride{Name: o.Name, Spec: *o.Cluster})
	}
	if o.Namespaced != nil {
		all.Namespaced = append(all.Namespaced, override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: *o.Namespaced})
	}
}

// Text returns the override as JSON. Two overrides with the same content and the same identity have the same text.
func (o Override) Text() string {
	// A record decoded from JSON can always be encoded.
	text, _ := json.Marshal(o)
	return string(text)
}
