package member

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
)

// MaxNameLength is the maximum length of a usable name: KubeFleet creates a namespace "fleet-member-NAME" for each member, and the name of a
// namespace has at most 63 characters.
const MaxNameLength = 50

// maxAnnotations is the maximum total size in bytes of an object's annotations (apimachinery, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// isReservedDomain reports whether the fleet itself sets labels of a domain: KubeFleet's, and Azure's.
func isReservedDomain(domain string) bool {
	for _, reserved := range []string{kubefleetapi.Domain, "fleet.azure.com"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			return true
		}
	}
	return false
}

// Problem is a problem of one attribute.
type Problem struct {
	// Attribute is the Terraform attribute. Key is the key of a map in it, or Index the index of a list, if there is one.
	Attribute string
	Key       string
	Index     int
	Message   string
	// Warning marks a value that is accepted but has no effect.
	Warning bool
}

// Validate lists the problems of a member, by the rules of KubeFleet's API and webhooks.
func Validate(s Spec) []Problem {
	var problems []Problem
	add := func(attribute, key string, index int, format string, args ...any) {
		problems = append(problems, Problem{Attribute: attribute, Key: key, Index: index, Message: fmt.Sprintf(format, args...)})
	}
	if len(s.Name) > MaxNameLength {
		add("name", "", -1, "The name has %d characters; a member's name has at most %d, because it is part of the namespace \"fleet-member-%s\".", len(s.Name), MaxNameLength, s.Name)
	}
	if message := naming.Subdomain(s.Name); message != "" {
		add("name", "", -1, "%q is not a usable name: %s.", s.Name, message)
	}
	validateLabels(s.Labels, add)
	validateTaints(s.Taints, add)
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		if domain, _, _ := strings.Cut(key, "/"); isReservedDomain(domain) {
			add("labels", key, -1, "The label key %q is reserved: only the fleet sets labels of %s.", key, domain)
		}
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		size += len(key) + len(s.Annotations[key])
		if message := naming.LabelKey(strings.ToLower(key)); message != "" {
			add("annotations", key, -1, "The annotation key %q is not valid: %s.", key, message)
		}
		if domain, _, _ := strings.Cut(key, "/"); isReservedDomain(domain) {
			add("annotations", key, -1, "The annotation key %q is reserved: only the fleet sets annotations of %s.", key, domain)
		}
	}
	if size > maxAnnotations {
		add("annotations", "", -1, "The annotations have %d bytes, and Kubernetes stores %d at most.", size, maxAnnotations)
	}
	if i := s.Identity; i != nil && !slices.Contains(i.Kind.Values(), string(i.Kind)) {
		add("identity", "", -1, "The kind %q is unknown; it must be one of %s.", i.Kind, strings.Join(i.Kind.Values(), ", "))
	}
	if i := s.Identity; i != nil && i.Kind == ServiceAccount {
		if message := naming.Subdomain(i.Name); message != "" {
			add("identity", "", -1, "The name %q is not one of a ServiceAccount: %s.", i.Name, message)
		}
		if message := naming.Label(i.Namespace); message != "" {
			add("identity", "", -1, "The namespace %q is not usable: %s. A ServiceAccount is namespaced.", i.Namespace, message)
		}
	}
	if i := s.Identity; i != nil && i.Kind != ServiceAccount && i.Namespace != "" {
		problems = append(problems, Problem{
			Attribute: "identity", Index: -1, Warning: true, Message: fmt.Sprintf("A %s is cluster-scoped, so the namespace has no effect. Remove it.", i.Kind),
		})
	}
	if o := s.DeleteOptions; o != nil && o.ValidationMode != "" && !slices.Contains(o.ValidationMode.Values(), string(o.ValidationMode)) {
		add("delete_options", "", -1, "The validation_mode %q is unknown; it must be one of %s.", o.ValidationMode, strings.Join(o.ValidationMode.Values(), ", "))
	}
	if s.Adopts() {
		validateAdopted(s, add)
	}
	if p := s.HeartbeatPeriodSeconds; p != nil && (*p < 1 || *p > 600) {
		add("heartbeat_period_seconds", "", -1, "The heartbeat period is %d s; it must be between 1 and 600.", *p)
	}
	return problems
}

// validateAdopted rejects the settings that only the system that created the member can control.
func validateAdopted(s Spec, add func(attribute, key string, index int, format string, args ...any)) {
	const text = "With adopt_existing, the resource manages only labels, annotations and taints: %s, which the system that created the member " +
		"manages. Omit it."
	if s.Identity != nil {
		add("identity", "", -1, text, "identity is the subject of the member's agent")
	}
	if s.HeartbeatPeriodSeconds != nil {
		add("heartbeat_period_seconds", "", -1, text, "heartbeat_period_seconds configures the member's agent")
	}
	if s.DeleteOptions != nil {
		add("delete_options", "", -1, text, "delete_options configure the removal of the member")
	}
}

func validateTaints(taints []Taint, add func(attribute, key string, index int, format string, args ...any)) {
	seen := map[Taint]bool{}
	for i, taint := range taints {
		if message := naming.LabelKey(taint.Key); message != "" {
			add("taints", "", i, "The taint key %q is not valid: %s.", taint.Key, message)
		}
		if message := naming.LabelValue(taint.Value); message != "" {
			add("taints", "", i, "The taint value %q is not valid: %s.", taint.Value, message)
		}
		if effects := taint.Effect.Values(); !slices.Contains(effects, string(taint.Effect)) {
			add("taints", "", i, "The effect %q is unknown; it must be %s.", taint.Effect, strings.Join(effects, " or "))
		}
		if seen[taint] {
			add("taints", "", i, "The taint is listed twice; remove one.")
		}
		seen[taint] = true
	}
	if len(taints) > 100 {
		add("taints", "", 100, "A member has at most 100 taints, this one has %d.", len(taints))
	}
}

func validateLabels(labels map[string]string, add func(attribute, key string, index int, format string, args ...any)) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if message := naming.LabelKey(key); message != "" {
			add("labels", key, -1, "The label key %q is not valid: %s.", key, message)
		}
		if message := naming.LabelValue(labels[key]); message != "" {
			add("labels", key, -1, "The value %q of the label %q is not valid: %s.", labels[key], key, message)
		}
	}
}
