package convert

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// anyCluster are regular expressions that match every cluster name. KubeAdmiral does not anchor them.
var anyCluster = []string{".*", ".+", ".", "^.*$", "^.+$", "^.*", "^.+"}

// TakesOver returns the when_to_take_over that an object's annotations express: Always for every cluster (see anyCluster), IfNoDiff for some clusters, Never
// for none. A takeover requires [v1alpha1.ConflictResolutionAnnotation] and [v1alpha1.ClustersToAdoptAnnotation]. The control plane ignores an annotation
// that it cannot parse.
func TakesOver(annotations map[string]string) placement.WhenToTakeOver {
	var on v1alpha1.ClustersToAdopt
	if annotations[v1alpha1.ConflictResolutionAnnotation] != v1alpha1.ConflictResolutionAdopt ||
		json.Unmarshal([]byte(annotations[v1alpha1.ClustersToAdoptAnnotation]), &on) != nil {
		return placement.TakeOverNever
	}
	if slices.Contains(anyCluster, on.Regexp) {
		return placement.TakeOverAlways
	}
	if _, err := regexp.Compile(on.Regexp); len(on.Clusters) > 0 || err == nil && on.Regexp != "" {
		return placement.TakeOverIfNoDiff
	}
	return placement.TakeOverNever
}

// ToAffinity converts an affinity annotation to the affinity of a placement. It is the reverse of [AffinityOf]. The result replaces the affinity of the
// policy. It is nil if there is no annotation or if the annotation cannot be parsed. whole reports whether a placement can express the entire annotation.
func ToAffinity(annotation string) (affinity *placement.Affinity, whole bool) {
	if annotation == "" {
		return nil, true
	}
	var stored v1alpha1.Affinity
	if err := json.Unmarshal([]byte(annotation), &stored); err != nil {
		return nil, false
	}
	out := &placement.ClusterAffinity{}
	if required := stored.ClusterAffinity.Required; required != nil && len(required.ClusterSelectorTerms) > 0 {
		out.Required = &placement.ClusterSelector{}
		for _, t := range required.ClusterSelectorTerms {
			out.Required.ClusterSelectorTerms = append(out.Required.ClusterSelectorTerms, toTerm(t, nil))
		}
	}
	for _, t := range stored.ClusterAffinity.Preferred {
		out.Preferred = append(out.Preferred, placement.PreferredClusterSelector{Weight: t.Weight, Preference: toTerm(t.Preference, nil)})
	}
	affinity = &placement.Affinity{ClusterAffinity: out}
	return affinity, reflect.DeepEqual(AffinityOf(placement.Policy{Affinity: affinity}), stored)
}
