package disruption

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget Budget
		want   string
	}{
		"a number":     {Budget{MaxUnavailable: "1"}, ""},
		"a percentage": {Budget{MinAvailable: "90%"}, ""},
		"both":         {Budget{MinAvailable: "1", MaxUnavailable: "1"}, "min_available"},
		"none":         {Budget{}, "max_unavailable"},
		"too much":     {Budget{MinAvailable: "101%"}, "min_available"},
		"too large":    {Budget{MinAvailable: "2147483648"}, "min_available"},
		"the largest":  {Budget{MaxUnavailable: "2147483647"}, ""},
		"far too much": {Budget{MaxUnavailable: "4294967297"}, "max_unavailable"},
		"many percent": {Budget{MaxUnavailable: "4294967297%"}, "max_unavailable"},
		"a word":       {Budget{MaxUnavailable: "few"}, "max_unavailable"},
	} {
		problems := Validate(c.budget)
		if c.want == "" && len(problems) > 0 || c.want != "" && (len(problems) != 1 || problems[0].Path.String() != c.want) {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestValidateUse(t *testing.T) {
	t.Parallel()
	for bound, want := range map[string]int{"": 0, "1": 0, "10%": 0, "0": 1, "00%": 1} {
		if got := ValidateUse(Budget{MinAvailable: bound}); len(got) != want || want > 0 && !got[0].Warning {
			t.Errorf("%q: %v", bound, got)
		}
	}
	if got := ValidateUse(Budget{MaxUnavailable: "0"}); got != nil {
		t.Errorf("to block every eviction is an effect: %v", got)
	}
}

func TestMisfit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		budget Budget
		policy placement.PlacementType
		want   bool
	}{
		{Budget{MaxUnavailable: "1"}, placement.PickN, false}, {Budget{MaxUnavailable: "1"}, placement.PickAll, true},
		{Budget{MinAvailable: "1"}, placement.PickAll, false}, {Budget{MinAvailable: "50%"}, placement.PickAll, true},
		{Budget{MinAvailable: "50%"}, placement.PickN, false},
	} {
		if got := len(Misfit(c.budget, c.policy)) > 0; got != c.want {
			t.Errorf("%+v under %s: %v", c.budget, c.policy, got)
		}
	}
}
