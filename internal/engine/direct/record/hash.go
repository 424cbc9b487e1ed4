package record

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Digest are the hashes of what a placement says. Hundreds of manifests take a while to be hashed, too long to do it for every member.
type Digest struct{ Spec, Manifests string }

// DigestOf hashes a spec and manifests.
func DigestOf(spec placement.Spec, manifests map[string]string) Digest {
	return Digest{Spec: SpecHash(spec), Manifests: TextsHash(manifests)}
}

// SpecHash is the same for two specs that have the same JSON.
func SpecHash(spec placement.Spec) string { return hashOf(spec) }

// PolicyHash compares policies as KubeFleet does: the number of clusters is not part of what makes a policy another one.
func PolicyHash(spec placement.Spec) string {
	policy := *spec.Defaulted().Policy
	policy.NumberOfClusters = nil
	return hashOf(policy)
}

// TextsHash is empty for no texts; texts that differ only in their YAML formatting have the same one.
func TextsHash(texts map[string]string) string {
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

// LiveHash is that of an object as it is stored, without what a comparison leaves out.
func LiveHash(u *unstructured.Unstructured) string { return manifest.Hash(diff.Strip(u)) }

func hashOf(value any) string {
	// The domain's values hold nothing that JSON cannot express.
	text, _ := json.Marshal(value)
	return manifest.Hash(map[string]any{"value": string(text)})
}
