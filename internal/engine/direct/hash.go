package direct

import (
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func specHash(spec placement.Spec) string { return hashOf(spec) }

func policyHash(spec placement.Spec) string {
	policy := *spec.Defaulted().Policy
	policy.NumberOfClusters = nil
	return hashOf(policy)
}

// textsHash is empty for no texts; texts that differ only in their YAML formatting have the same one.
func textsHash(texts map[string]string) string {
	if len(texts) == 0 {
		return ""
	}
	canonical := map[string]any{}
	for key, text := range texts {
		canonical[key] = text
		if value, err := manifest.Canonical(text); err == nil {
			canonical[key] = value
		}
	}
	return manifest.Hash(canonical)
}

// liveHash is that of an object as it is stored, without what a comparison leaves out.
func liveHash(u *unstructured.Unstructured) string { return manifest.Hash(diff.Strip(u)) }

func hashOf(value any) string {
	// The domain's values hold nothing that JSON cannot express.
	text, _ := json.Marshal(value)
	return manifest.Hash(map[string]any{"value": string(text)})
}

// index is the content that is to be placed, as the status shows it.
func (p *plan) index() string { return strconv.FormatInt(p.generated.ResourceIndex, 10) }
