package member

import "slices"

// MergeTaints returns the taints of a cluster that has taints of other owners, too: the live ones without those that were managed before, and the
// managed ones. A taint is one with all of its fields, as KubeFleet compares them. The order of the live taints does not change.
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

// PlannedTaints returns the taints of a cluster once its registration has become the wanted one; before is the registration until then, nil for none.
// A registration of another system keeps the taints of others.
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
