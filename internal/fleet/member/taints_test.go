package member

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestMergeTaints(t *testing.T) {
	t.Parallel()
	taint := func(key string) Taint { return Taint{Key: key, Effect: placement.NoSchedule} }
	theirs, ours, other := taint("theirs"), taint("ours"), taint("other")
	valued := Taint{Key: "theirs", Value: "a", Effect: placement.NoSchedule}
	for name, c := range map[string]struct{ live, before, managed, merged, kept []Taint }{
		"none":                        {nil, nil, nil, nil, nil},
		"the first one":               {nil, nil, []Taint{ours}, []Taint{ours}, nil},
		"beside another owner's":      {[]Taint{theirs}, nil, []Taint{ours}, []Taint{theirs, ours}, []Taint{}},
		"unchanged":                   {[]Taint{ours, theirs}, []Taint{ours}, []Taint{ours}, []Taint{ours, theirs}, []Taint{ours}},
		"another one":                 {[]Taint{ours, theirs}, []Taint{ours}, []Taint{other}, []Taint{theirs, other}, []Taint{}},
		"no longer":                   {[]Taint{ours, theirs}, []Taint{ours}, nil, []Taint{theirs}, nil},
		"with the key of another's":   {[]Taint{theirs}, nil, []Taint{valued}, []Taint{theirs, valued}, []Taint{}},
		"the same as another owner's": {[]Taint{theirs}, nil, []Taint{theirs}, []Taint{theirs}, []Taint{theirs}},
		"removed by another owner":    {[]Taint{theirs}, []Taint{ours}, []Taint{ours}, []Taint{theirs, ours}, []Taint{}},
	} {
		if got := MergeTaints(c.live, c.before, c.managed); !slices.Equal(got, c.merged) {
			t.Errorf("%s: merged %v, want %v", name, got, c.merged)
		}
		if got := ManagedTaints(c.live, c.managed); !slices.Equal(got, c.kept) || (got == nil) != (c.managed == nil) {
			t.Errorf("%s: managed %v, want %v", name, got, c.kept)
		}
	}
}

func TestPlannedTaints(t *testing.T) {
	t.Parallel()
	theirs, ours := Taint{Key: "theirs", Effect: placement.NoSchedule}, Taint{Key: "ours", Effect: placement.NoSchedule}
	live := []Taint{theirs, ours}
	for name, c := range map[string]struct {
		before *Spec
		want   Spec
		taints []Taint
	}{
		"adopted":              {nil, Spec{AdoptExisting: new(true)}, live},
		"adopted, one removed": {&Spec{Taints: []Taint{ours}}, Spec{AdoptExisting: new(true)}, []Taint{theirs}},
		"registered":           {nil, Spec{Taints: []Taint{ours}}, []Taint{ours}},
		"registered, none":     {nil, Spec{}, live},
		"registered, removed":  {&Spec{Taints: live}, Spec{}, nil},
	} {
		if got := PlannedTaints(live, c.before, c.want); !slices.Equal(got, c.taints) {
			t.Errorf("%s: %v, want %v", name, got, c.taints)
		}
	}
}
