package placement

import (
	"encoding/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Digest are the hashes of what a placement says. Hundreds of manifests take a while to be hashed, too long to do it for every cluster.
type Digest struct{ Spec, Manifests, WriteOnly string }

// NewDigest hashes a spec and manifests; those that are write-only apart.
func NewDigest(spec Spec, manifests, writeOnly map[string]string) Digest {
	return NewDigestOf(nil, spec, manifests, writeOnly)
}

// NewDigestOf is NewDigest where manifests have been decoded already.
func NewDigestOf(decoded manifest.Canonicals, spec Spec, manifests, writeOnly map[string]string) Digest {
	return Digest{Spec: spec.Hash(), Manifests: decoded.HashTexts(manifests), WriteOnly: decoded.HashTexts(writeOnly)}
}

// Hash is the same for two specs that have the same JSON.
func (s Spec) Hash() string { return hash(s) }

// PolicyHash compares policies as KubeFleet does: the number of clusters is not part of what makes a policy another one.
func (s Spec) PolicyHash() string {
	policy := *s.Defaulted().Policy
	policy.NumberOfClusters = nil
	return hash(policy)
}

func hash(value any) string {
	// The domain's values hold nothing that JSON cannot express.
	text, _ := json.Marshal(value)
	return manifest.Hash(map[string]any{"value": string(text)})
}

// UsesProperties tells whether a policy looks at more of a cluster than its labels and taints.
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
