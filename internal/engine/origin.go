package engine

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// KeysOf returns the keys of the objects in manifests. It skips manifests that cannot be parsed, which are rejected when they are configured.
func KeysOf(manifests map[string]string) map[manifest.Key]bool {
	out := map[manifest.Key]bool{}
	for key, text := range manifests {
		objects, err := manifest.Parse(key, text)
		if err != nil {
			continue
		}
		for _, o := range objects {
			out[o.Key()] = true
		}
	}
	return out
}

// IsFrom returns a function that reports whether an object, or the envelope that contains it, comes from manifests.
func IsFrom(manifests map[string]string) func(manifest.Identifier) bool {
	keys := KeysOf(manifests)
	return func(id manifest.Identifier) bool {
		if e := id.Envelope; e != nil {
			kind := envelope.Type(e.Type).Kind()
			return keys[manifest.Key{Group: kind.Group, Kind: kind.Kind, Namespace: e.Namespace, Name: e.Name}]
		}
		return keys[id.Key()]
	}
}
