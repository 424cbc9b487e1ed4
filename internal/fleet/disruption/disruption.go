// Package disruption checks KubeFleet's disruption budgets, which limit the evictions of a placement from clusters (API version
// placement.kubernetes-fleet.io/v1beta1, ClusterResourcePlacementDisruptionBudget and ClusterResourcePlacementEviction).
package disruption

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// Budget limits the evictions of the placement with the same name. One of the fields is set, to a number or a percentage.
type Budget struct {
	MaxUnavailable string `json:"maxUnavailable,omitempty"`
	MinAvailable   string `json:"minAvailable,omitempty"`
}

// Validate lists the problems of a budget, by the rules of the API. A budget without a limit blocks every eviction.
func Validate(b Budget) []placement.Problem {
	var out []placement.Problem
	add := func(attribute, message string) {
		out = append(out, placement.Problem{Path: placement.At(attribute), Message: message})
	}
	for attribute, value := range map[string]string{"max_unavailable": b.MaxUnavailable, "min_available": b.MinAvailable} {
		if value == "" {
			continue
		}
		if _, err := rollout.ParseCount(value); err != nil {
			add(attribute, `"`+value+`" is neither a number of at most 32 bits nor a percentage from 0% to 100%`)
		}
	}
	switch {
	case b.MaxUnavailable != "" && b.MinAvailable != "":
		add("min_available", "either max_unavailable or min_available can be set, not both")
	case b.MaxUnavailable == "" && b.MinAvailable == "":
		add("max_unavailable", "set max_unavailable or min_available: without them every eviction is blocked")
	}
	return out
}

// ValidateUse returns a warning if MinAvailable is zero. The API accepts this budget, although it blocks no eviction. ValidateUse returns nil for all other
// budgets.
func ValidateUse(b Budget) []placement.Problem {
	if b.MinAvailable == "" || strings.Trim(strings.TrimSuffix(b.MinAvailable, "%"), "0") != "" {
		return nil
	}
	return []placement.Problem{{
		Path: placement.At("min_available"), Warning: true, Message: "with " + b.MinAvailable + " the budget blocks no eviction: remove it, or set a larger number",
	}}
}

// Misfit returns the problem if a placement's policy does not support a field of a budget. PickAll requests no number of clusters: with a percentage or a
// maximum, a hub blocks every eviction. Misfit returns nil for all other policies.
func Misfit(b Budget, policy placement.PlacementType) []placement.Problem {
	if policy != placement.PickAll {
		return nil
	}
	const reason = "the placement has the policy PickAll, which requests no number of clusters: only min_available with a number is valid"
	switch {
	case b.MaxUnavailable != "":
		return []placement.Problem{{Path: placement.At("max_unavailable"), Message: reason}}
	case len(b.MinAvailable) > 0 && b.MinAvailable[len(b.MinAvailable)-1] == '%':
		return []placement.Problem{{Path: placement.At("min_available"), Message: reason}}
	}
	return nil
}
