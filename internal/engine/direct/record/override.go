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

// Override is an override as every member keeps it, so that a placement on a member is decided by what that member says.
type Override struct {
	Namespace  string                `json:"namespace,omitempty"`
	Name       string                `json:"name"`
	Cluster    *override.ClusterSpec `json:"clusterResourceOverride,omitempty"`
	Namespaced *override.Spec        `json:"resourceOverride,omitempty"`
	// ID is the identity of the resource that manages the override.
	ID string `json:"id,omitempty"`
	// Sensitive are the values that are sensitive.
	Sensitive []override.Position `json:"sensitiveValues,omitempty"`
	// InSecret says that the values are not here, but in a Secret of the same name with the whole override.
	InSecret bool `json:"valuesInSecret,omitempty"`
}

// OverrideName is the name of an override's ConfigMap, and of its Secret. It is unique: a namespace has no dots.
func OverrideName(reference override.Reference) string {
	if reference.Namespace == "" {
		return "cluster-resource-override-" + reference.Name
	}
	return "resource-override-" + reference.Namespace + "." + reference.Name
}

// Encode writes the record. secret is nil unless the values may be those of a Secret: a ConfigMap is for everybody to read.
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
	secret = &unstructured.Unstructured{Object: map[string]any{
		"type": "fleet.terraform.io/override", "data": map[string]any{overrideKey: base64.StdEncoding.EncodeToString(whole)},
	}}
	secret.SetGroupVersionKind(SecretKind)
	secret.SetNamespace(Namespace)
	secret.SetName(name)
	secret.SetLabels(map[string]string{KindLabel: OverrideKind})
	configMap, err = newConfigMap(name, OverrideKind, map[string]any{overrideKey: o.withoutValues()})
	return configMap, secret, err
}

// policy returns the policy of the spec; nil without one.
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

// DecodeOverride reads the ConfigMap. It has no values if they are in a Secret.
func DecodeOverride(u *unstructured.Unstructured) (*Override, error) {
	var out Override
	if err := decodeKey(u, overrideKey, &out); err != nil {
		return nil, err
	}
	out.policy().MarkSensitive(out.Sensitive)
	return &out, nil
}

// WholeOverride reads the record with its values: the Secret is asked for only if there is one. It is an error of kind NotFound if that is gone.
func WholeOverride(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured) (*Override, error) {
	known, err := DecodeOverride(u)
	if err != nil || !known.InSecret {
		return known, err
	}
	secret, err := cluster.Get(ctx, SecretKind, Namespace, u.GetName())
	if err != nil {
		return nil, fmt.Errorf("the values of the override are in Secret %s/%s, which the next apply of the override writes again if it is lost: %w",
			Namespace, u.GetName(), err)
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", overrideKey)
	whole, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		known = &Override{}
		err = json.Unmarshal(whole, known)
	}
	if err != nil {
		// The parser's own sentence may repeat what it has read.
		return nil, fmt.Errorf("the Secret %s/%s is not readable; it was written by this provider and has been changed since. Delete it: "+
			"the next apply of the override writes it again", Namespace, u.GetName())
	}
	known.policy().MarkSensitive(known.Sensitive)
	return known, nil
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
