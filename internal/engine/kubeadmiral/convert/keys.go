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

// PolicyLabelOf returns the key of the label that names the policy of an object. namespace is the policy's namespace, or empty for a cluster-scoped policy.
func PolicyLabelOf(namespace string) string {
	if namespace == "" {
		return v1alpha1.ClusterPolicyLabel
	}
	return v1alpha1.PolicyLabel
}

// Adoption selects the members on which the host may take over a pre-existing copy of an object.
type Adoption struct {
	// Everywhere includes members that are picked later. If it is false, only Clusters are included.
	Everywhere bool
	Clusters   []string
}

// KeysOf returns the keys of an object of a placement. The keys include the orphan annotation; see [Orphan].
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

// Orphan returns the value of the orphan annotation. With the propagation policy Abandon, all objects remain on the members when the placement is removed.
// Otherwise, only taken-over objects remain.
func Orphan(spec placement.Spec) string {
	if spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects {
		return v1alpha1.OrphanAll
	}
	return v1alpha1.OrphanAdopted
}

// AffinityAnnotation returns the value of the annotation with the preferred clusters, or "" if there are none. The annotation replaces the affinity of the
// policy, so it includes the required clusters too.
func AffinityAnnotation(policy placement.Policy) (string, error) {
	preferences := preferredSelectors(policy)
	if len(preferences) == 0 {
		return "", nil
	}
	text, err := json.Marshal(AffinityOf(policy))
	return string(text), err
}

// AffinityOf converts the affinity of a placement to the type of the host.
func AffinityOf(policy placement.Policy) v1alpha1.Affinity {
	var out v1alpha1.Affinity
	if must := terms(requiredTerms(policy)); len(must) > 0 {
		out.ClusterAffinity.Required = &v1alpha1.ClusterSelector{ClusterSelectorTerms: must}
	}
	for _, p := range preferredSelectors(policy) {
		out.ClusterAffinity.Preferred = append(out.ClusterAffinity.Preferred, v1alpha1.PreferredSchedulingTerm{
			Weight: p.Weight, Preference: v1alpha1.ClusterSelectorTerm{MatchExpressions: requirements(p.Preference.LabelSelector)},
		})
	}
	return out
}

// Held reports whether labels and annotations have exactly the keys k, with the same values. It ignores all entries that are neither in [OwnLabels] nor in
// [OwnAnnotations].
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

// KeysIn returns the labels and annotations of an object that are in [OwnLabels] and [OwnAnnotations].
func KeysIn(u interface {
	GetLabels() map[string]string
	GetAnnotations() map[string]string
}) Keys {
	return Keys{Labels: only(u.GetLabels(), OwnLabels), Annotations: only(u.GetAnnotations(), OwnAnnotations)}
}

// AdoptedOn returns the members that an object's annotation lists by name for takeover.
func AdoptedOn(annotations map[string]string) []string {
	var out v1alpha1.ClustersToAdopt
	if json.Unmarshal([]byte(annotations[v1alpha1.ClustersToAdoptAnnotation]), &out) != nil {
		return nil
	}
	return out.Clusters
}
