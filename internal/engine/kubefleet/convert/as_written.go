package convert

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PlacementAsWritten returns a stored spec in the notation of the configuration. It returns the configured value wherever the stored value means the same,
// with the hub's defaults filled into both, and the stored value otherwise. Fields that a hub does not store are taken from the configuration.
func PlacementAsWritten(stored, written placement.Spec) (placement.Spec, error) {
	if written.Strategy != nil && written.Strategy.DeleteStrategy != nil && written.Strategy.DeleteStrategy.Contents != "" {
		strategy, deletion := placement.Strategy{}, placement.DeleteStrategy{}
		if stored.Strategy != nil {
			strategy = *stored.Strategy
		}
		if strategy.DeleteStrategy != nil {
			deletion = *strategy.DeleteStrategy
		}
		deletion.Contents = written.Strategy.DeleteStrategy.Contents
		strategy.DeleteStrategy = &deletion
		stored.Strategy = &strategy
	}
	return asWritten(stored, written, defaultedSpec, minimalSpec)
}

// ClusterOverrideAsWritten does the same as [PlacementAsWritten] for an override of cluster-scoped objects.
func ClusterOverrideAsWritten(stored, written override.ClusterSpec) (override.ClusterSpec, error) {
	return asWritten(stored, written, defaultedClusterOverride, minimalClusterOverride)
}

// OverrideAsWritten does the same as [PlacementAsWritten] for an override of objects in its namespace.
func OverrideAsWritten(stored, written override.Spec) (override.Spec, error) {
	return asWritten(stored, written, defaultedOverride, minimalOverride)
}

// ForeignPrefixes are the prefixes of the keys of labels and annotations that a hub, Azure or kubectl writes.
var ForeignPrefixes = []string{kubefleetapi.Prefix, "fleet.azure.com/", "kubectl.kubernetes.io/"}

// MemberAsWritten does the same as [PlacementAsWritten] for a member. It compares only configured labels and annotations, because operators of the hub and
// Azure set other labels and annotations on the same object. If written is nil, as for some imports, the result has all labels and annotations except those
// with [ForeignPrefixes]. For an adopted member, it compares only the configured labels, annotations and taints.
func MemberAsWritten(stored member.Spec, written *member.Spec) (member.Spec, error) {
	switch {
	case written == nil:
		stored.Labels, stored.Annotations = withoutForeign(stored.Labels), withoutForeign(stored.Annotations)
		written = &member.Spec{}
	case written.Adopts():
		stored = adopted(stored, *written)
	default:
		stored.Labels, stored.Annotations = only(stored.Labels, written.Labels), only(stored.Annotations, written.Annotations)
	}
	stored.AdoptExisting = written.AdoptExisting
	if written.DeleteOptions != nil && written.DeleteOptions.OnUnreachable != "" {
		options := member.DeleteOptions{}
		if stored.DeleteOptions != nil {
			options = *stored.DeleteOptions
		}
		options.OnUnreachable = written.DeleteOptions.OnUnreachable
		stored.DeleteOptions = &options
	}
	return asWritten(stored, *written, defaultedMember, same)
}

func withoutForeign(in map[string]string) map[string]string {
	var out map[string]string
	for key, value := range in {
		if slices.ContainsFunc(ForeignPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[key] = value
	}
	return out
}

func only(in, wanted map[string]string) map[string]string {
	var out map[string]string
	for key := range wanted {
		if value, found := in[key]; found {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}
