package placement

import "slices"

// ValidateChange lists every rule of KubeFleet's API that a change from one spec to another breaks. [Validate] checks the new spec itself.
func ValidateChange(old, changed Spec) []Problem {
	var v validator
	before, after := old.Defaulted(), changed.Defaulted()
	// A removed policy means PickAll: the hub sets this default before it compares.
	if before.Policy.PlacementType != after.Policy.PlacementType {
		v.add(At("policy").Attribute("placement_type"), "the placement type is immutable: change it back to %s, or change the name of the placement, "+
			"which replaces it: its objects are removed in between", before.Policy.PlacementType)
	}
	for _, t := range before.Policy.Tolerations {
		if !slices.Contains(after.Policy.Tolerations, t) {
			v.add(At("policy").Attribute("tolerations"), "tolerations can only be added: keep the one with key %q, operator %s, value %q "+
				"and effect %q, or give the placement another name, which replaces it", t.Key, t.Operator, t.Value, t.Effect)
		}
	}
	if before.Strategy.Type == ExternalStrategy && after.Strategy.Type != ExternalStrategy {
		v.add(At("strategy").Attribute("type"), "a placement with strategy External keeps it: set the type to External, or give the placement "+
			"another name, which replaces it")
	}
	if before.StatusReportingScope != after.StatusReportingScope {
		v.add(At("status_reporting_scope"), "the scope is immutable: change it back to %s, or give the placement another name, "+
			"which replaces it", before.StatusReportingScope)
	}
	return v.problems
}
