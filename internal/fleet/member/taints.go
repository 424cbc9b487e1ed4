package member

import "slices"

// MergeTaints returns live without the taints that are in before but not in managed, followed by the taints of managed that live does not have. As in
// KubeFleet, two taints are equal if all their fields are.
func MergeTaints(live, before, managed []Taint) []Taint {
	out := slices.DeleteFunc(slices.Clone(live), func(t Taint) bool {
		return slices.Contains(before, t) && !slices.Contains(managed, t)
	})
	for _, t := range managed {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// PlannedTaints returns the taints of a cluster after a change of its registration from before to want. before is nil for a new registration. The
// registration of an adopted member keeps the taints of other owners. Any other registration replaces all taints, or keeps them if neither before nor want has
// taints.
func PlannedTaints(live []Taint, before *Spec, want Spec) []Taint {
	var managed []Taint
	if before != nil {
		managed = before.Taints
	}
	switch {
	case want.Adopts():
		return MergeTaints(live, managed, want.Taints)
	case want.Taints != nil || managed != nil:
		return want.Taints
	default:
		return live
	}
}

// ManagedTaints returns the managed taints that a cluster has.
func ManagedTaints(live, managed []Taint) []Taint {
	return slices.DeleteFunc(slices.Clone(managed), func(t Taint) bool { return !slices.Contains(live, t) })
}
