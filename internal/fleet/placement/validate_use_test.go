package placement

import (
	"strings"
	"testing"
)

func TestValidateUse(t *testing.T) {
	rolling := func(unavailable, surge string) Spec {
		return Spec{Strategy: &Strategy{RollingUpdate: &RollingUpdate{MaxUnavailable: unavailable, MaxSurge: surge}}}
	}
	for name, c := range map[string]struct {
		spec    Spec
		want    string
		warning bool
	}{
		"nothing set":                          {Spec{}, "", false},
		"both 0":                               {rolling("0", "0"), "strategy.rolling_update: max_unavailable and max_surge are both 0", false},
		"both 0 per cent":                      {rolling("0%", "00%"), "strategy.rolling_update: max_unavailable and max_surge are both 0", false},
		"one of them by default":               {rolling("0", ""), "", false},
		"one of them":                          {rolling("0", "10%"), "", false},
		"no names":                             {Spec{Policy: &Policy{PlacementType: PickFixed}}, "policy.cluster_names: PickFixed names no cluster", true},
		"contents with Abandon":                {Spec{Strategy: &Strategy{DeleteStrategy: &DeleteStrategy{AbandonObjects, TakeContents}}}, "strategy.delete_strategy.contents: it has no effect", true},
		"contents":                             {Spec{Strategy: &Strategy{DeleteStrategy: &DeleteStrategy{DeleteObjects, TakeContents}}}, "", false},
		"no names with another placement type": {Spec{Policy: &Policy{}}, "", false},
	} {
		var got []string
		for _, p := range ValidateUse(c.spec) {
			got = append(got, p.String())
			if p.Warning != c.warning {
				t.Errorf("%s: %+v", name, p)
			}
		}
		all := strings.Join(got, "\n")
		if len(got) > 1 || !strings.HasPrefix(all, c.want) || (all == "") != (c.want == "") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
