package convert

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Keys are the labels and annotations by which an object on the host belongs to a placement.
type Keys struct {
	Labels, Annotations map[string]string
}

// OwnLabels and OwnAnnotations are the keys that a placement sets on an object and removes again.
var (
	OwnLabels      = []string{v1alpha1.PolicyLabel, v1alpha1.ClusterPolicyLabel}
	OwnAnnotations = []string{
		v1alpha1.ConflictResolutionAnnotation, v1alpha1.ClustersToAdoptAnnotation, v1alpha1.OrphanAnnotation, v1alpha1.AffinityAnnotation,
		v1alpha1.NoSchedulingAnnotation,
	}
)

// PolicyLabelOf is the label of the objects of a policy in a namespace, or in none.
func PolicyLabelOf(namespace string) string {
	if namespace == "" {
		return v1alpha1.ClusterPolicyLabel
	}
	return v1alpha1.PolicyLabel
}

// Adoption says on which members an object may take over what is there.
type Adoption struct {
	// Everywhere is also on members that are picked later; otherwise it is Clusters alone.
	Everywhere bool
	Clusters   []string
}

// KeysOf are the keys of an object of a placement. Adopted objects stay when the placement goes, and all do under Abandon.
func KeysOf(namespace, name string, spec placement.Spec, adoption Adoption) (Keys, error) {
	spec = spec.Defaulted()
	out := Keys{
		Labels:      map[string]string{PolicyLabelOf(namespace): name},
		Annotations: map[string]string{v1alpha1.OrphanAnnotation: Orphan(spec)},
	}
	affinity, err := AffinityAnnotation(*spec.Policy)
	if err != nil {
		return out, err
	}
	if affinity != "" {
		out.Annotations[v1alpha1.AffinityAnnotation] = affinity
	}
	adopt := v1alpha1.ClustersToAdopt{Clusters: slices.Sorted(slices.Values(adoption.Clusters))}
	if adoption.Everywhere {
		adopt = v1alpha1.ClustersToAdopt{Regexp: ".*"}
	}
	if !adoption.Everywhere && len(adopt.Clusters) == 0 {
		return out, nil
	}
	text, err := json.Marshal(adopt)
	if err != nil {
		return out, err
	}
	out.Annotations[v1alpha1.ConflictResolutionAnnotation] = v1alpha1.ConflictResolutionAdopt
	out.Annotations[v1alpha1.ClustersToAdoptAnnotation] = string(text)
	return out, nil
}

// Orphan is what stays on members of a placement that goes.
func Orphan(spec placement.Spec) string {
	if spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects {
		return v1alpha1.OrphanAll
	}
	return v1alpha1.OrphanAdopted
}

// AffinityAnnotation is the annotation with the clusters that are preferred; empty without any. It replaces the policy's affinity, so that it has that, too.
func AffinityAnnotation(policy placement.Policy) (string, error) {
	preferences := preferred(policy)
	if len(preferences) == 0 {
		return "", nil
	}
	text, err := json.Marshal(AffinityOf(policy))
	return string(text), err
}

// AffinityOf is a placement's affinity as a host has it.
func AffinityOf(policy placement.Policy) v1alpha1.Affinity {
	var out v1alpha1.Affinity
	if must := terms(required(policy)); len(must) > 0 {
		out.ClusterAffinity.Required = &v1alpha1.ClusterSelector{ClusterSelectorTerms: must}
	}
	for _, p := range preferred(policy) {
		out.ClusterAffinity.Preferred = append(out.ClusterAffinity.Preferred, v1alpha1.PreferredSchedulingTerm{
			Weight: p.Weight, Preference: v1alpha1.ClusterSelectorTerm{MatchExpressions: requirements(p.Preference.LabelSelector)},
		})
	}
	return out
}

// Held reports whether an object has exactly these keys, of the keys that a placement may set.
func (k Keys) Held(labels, annotations map[string]string) bool {
	return maps.Equal(k.Labels, only(labels, OwnLabels)) && maps.Equal(k.Annotations, only(annotations, OwnAnnotations))
}

func only(in map[string]string, keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		if value, found := in[key]; found {
			out[key] = value
		}
	}
	return out
}

// KeysIn are the keys that an object has.
func KeysIn(u interface {
	GetLabels() map[string]string
	GetAnnotations() map[string]string
}) Keys {
	return Keys{Labels: only(u.GetLabels(), OwnLabels), Annotations: only(u.GetAnnotations(), OwnAnnotations)}
}

// AdoptedOn are the members on which an object may take over what is there, as its annotation names them.
func AdoptedOn(annotations map[string]string) []string {
	var out v1alpha1.ClustersToAdopt
	if json.Unmarshal([]byte(annotations[v1alpha1.ClustersToAdoptAnnotation]), &out) != nil {
		return nil
	}
	return out.Clusters
}
