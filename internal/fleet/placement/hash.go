package placement

import (
	"encoding/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Digest has the hashes of a placement's content. It is computed once: to hash hundreds of manifests again for every cluster would take too long.
type Digest struct{ Spec, Manifests, WriteOnly string }

// NewDigest hashes a spec and manifests. It hashes write-only manifests separately.
func NewDigest(spec Spec, manifests, writeOnly map[string]string) Digest {
	return NewDigestOf(nil, spec, manifests, writeOnly)
}

// NewDigestOf does the same as NewDigest for manifests that have been decoded already.
func NewDigestOf(decoded manifest.Canonicals, spec Spec, manifests, writeOnly map[string]string) Digest {
	return Digest{Spec: spec.Hash(), Manifests: decoded.HashTexts(manifests), WriteOnly: decoded.HashTexts(writeOnly)}
}

// Hash returns the same text for two specs with the same JSON.
func (s Spec) Hash() string { return hashJSON(s) }

// PolicyHash returns a hash that is equal for equal policies. As in KubeFleet, the number of clusters is not part of it.
func (s Spec) PolicyHash() string {
	policy := *s.Defaulted().Policy
	policy.NumberOfClusters = nil
	return hashJSON(policy)
}

func hashJSON(value any) string {
	// The values have no types that JSON cannot express, so there is no error.
	text, _ := json.Marshal(value)
	return manifest.Hash(map[string]any{"value": string(text)})
}

// UsesProperties reports whether a policy selects or sorts clusters by properties.
func (p *Policy) UsesProperties() bool {
	if p == nil || p.Affinity == nil || p.Affinity.ClusterAffinity == nil {
		return false
	}
	affinity := p.Affinity.ClusterAffinity
	if affinity.Required != nil {
		for _, term := range affinity.Required.ClusterSelectorTerms {
			if term.usesProperties() {
				return true
			}
		}
	}
	for _, preferred := range affinity.Preferred {
		if preferred.Preference.usesProperties() {
			return true
		}
	}
	return false
}

func (t ClusterSelectorTerm) usesProperties() bool {
	return t.PropertySelector != nil || t.PropertySorter != nil
}
