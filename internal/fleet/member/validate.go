package member

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// MaxNameLength is the maximum length of a usable name: KubeFleet creates a namespace "fleet-member-NAME" for each member, and the name of a
// namespace has at most 63 characters.
const MaxNameLength = 50

// maxAnnotations is the maximum total size in bytes of an object's annotations (apimachinery, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// isReservedDomain reports whether only KubeFleet or Azure sets labels and annotations of a domain.
func isReservedDomain(domain string) bool {
	for _, reserved := range []string{kubefleetapi.Domain, "fleet.azure.com"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			return true
		}
	}
	return false
}

// Validate lists the problems of a member, by the rules of KubeFleet's API and webhooks.
func Validate(s Spec) []placement.Problem {
	var problems []placement.Problem
	add := func(path placement.Path, format string, args ...any) {
		problems = append(problems, placement.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if len(s.Name) > MaxNameLength {
		add(placement.At("name"), "the name has %d characters; a member's name has at most %d, because it is part of the namespace \"fleet-member-%s\"", len(s.Name), MaxNameLength, s.Name)
	}
	if message := naming.Subdomain(s.Name); message != "" {
		add(placement.At("name"), "%q is not a usable name: %s", s.Name, message)
	}
	validateLabels(s.Labels, add)
	validateTaints(s.Taints, add)
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		if domain, _, _ := strings.Cut(key, "/"); isReservedDomain(domain) {
			add(placement.At("labels").Key(key), "the label key %q is reserved: only the fleet sets labels of %s", key, domain)
		}
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		size += len(key) + len(s.Annotations[key])
		if message := naming.LabelKey(strings.ToLower(key)); message != "" {
			add(placement.At("annotations").Key(key), "the annotation key %q is not valid: %s", key, message)
		}
		if domain, _, _ := strings.Cut(key, "/"); isReservedDomain(domain) {
			add(placement.At("annotations").Key(key), "the annotation key %q is reserved: only the fleet sets annotations of %s", key, domain)
		}
	}
	if size > maxAnnotations {
		add(placement.At("annotations"), "the annotations have %d bytes, and Kubernetes stores %d at most", size, maxAnnotations)
	}
	if i := s.Identity; i != nil && !slices.Contains(i.Kind.Values(), string(i.Kind)) {
		add(placement.At("identity"), "the kind %q is unknown; it must be one of %s", i.Kind, strings.Join(i.Kind.Values(), ", "))
	}
	if i := s.Identity; i != nil && i.Kind == ServiceAccount {
		if message := naming.Subdomain(i.Name); message != "" {
			add(placement.At("identity"), "the name %q is not one of a ServiceAccount: %s", i.Name, message)
		}
		if message := naming.Label(i.Namespace); message != "" {
			add(placement.At("identity"), "a ServiceAccount needs the name of its Namespace, and %q is not valid: %s", i.Namespace, message)
		}
	}
	if i := s.Identity; i != nil && i.Kind != ServiceAccount && i.Namespace != "" {
		problems = append(problems, placement.Problem{
			Path: placement.At("identity"), Warning: true, Message: fmt.Sprintf("a %s is cluster-scoped, so the namespace has no effect: remove it", i.Kind),
		})
	}
	if o := s.DeleteOptions; o != nil && o.ValidationMode != "" && !slices.Contains(o.ValidationMode.Values(), string(o.ValidationMode)) {
		add(placement.At("delete_options"), "the validation_mode %q is unknown; it must be one of %s", o.ValidationMode, strings.Join(o.ValidationMode.Values(), ", "))
	}
	if s.Adopts() {
		validateAdopted(s, add)
	}
	if p := s.HeartbeatPeriodSeconds; p != nil && (*p < 1 || *p > 600) {
		add(placement.At("heartbeat_period_seconds"), "the heartbeat period is %d s; it must be between 1 and 600", *p)
	}
	return problems
}

// validateAdopted rejects the settings that only the system that created the member can control.
func validateAdopted(s Spec, add func(path placement.Path, format string, args ...any)) {
	const text = "with adopt_existing, the resource manages only labels, annotations and taints. Omit %s: the system that created the member " +
		"manages %s"
	if s.Identity != nil {
		add(placement.At("identity"), text, "identity", "the subject of the member agent")
	}
	if s.HeartbeatPeriodSeconds != nil {
		add(placement.At("heartbeat_period_seconds"), text, "heartbeat_period_seconds", "the configuration of the member agent")
	}
	if s.DeleteOptions != nil {
		add(placement.At("delete_options"), text, "delete_options", "the removal of the member")
	}
}

func validateTaints(taints []Taint, add func(path placement.Path, format string, args ...any)) {
	seen := map[Taint]bool{}
	for i, taint := range taints {
		if message := naming.LabelKey(taint.Key); message != "" {
			add(placement.At("taints").Index(i), "the taint key %q is not valid: %s", taint.Key, message)
		}
		if message := naming.LabelValue(taint.Value); message != "" {
			add(placement.At("taints").Index(i), "the taint value %q is not valid: %s", taint.Value, message)
		}
		if effects := taint.Effect.Values(); !slices.Contains(effects, string(taint.Effect)) {
			add(placement.At("taints").Index(i), "the effect %q is unknown; it must be %s", taint.Effect, strings.Join(effects, " or "))
		}
		if seen[taint] {
			add(placement.At("taints").Index(i), "the taint is listed twice; remove one")
		}
		seen[taint] = true
	}
	if len(taints) > 100 {
		add(placement.At("taints"), "a member has at most 100 taints, this one has %d", len(taints))
	}
}

func validateLabels(labels map[string]string, add func(path placement.Path, format string, args ...any)) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if message := naming.LabelKey(key); message != "" {
			add(placement.At("labels").Key(key), "the label key %q is not valid: %s", key, message)
		}
		if message := naming.LabelValue(labels[key]); message != "" {
			add(placement.At("labels").Key(key), "the value %q of the label %q is not valid: %s", labels[key], key, message)
		}
	}
}
