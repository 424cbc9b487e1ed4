package session

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Only one resource can have a name. A replacement is planned under the same name, from the same configuration.
func TestAlone(t *testing.T) {
	t.Parallel()
	one, other := tftypes.NewValue(tftypes.String, "one"), tftypes.NewValue(tftypes.String, "other")
	for name, c := range map[string]struct {
		replaceable bool
		config      tftypes.Value
		exists      bool
		want        bool
	}{
		"the like, new":            {false, one, false, false},
		"another, new":             {false, other, false, false},
		"the replacement":          {true, one, false, true},
		"another, of what is":      {true, other, false, false},
		"the like, in the state":   {true, one, true, false},
		"another one in the state": {true, other, true, false},
	} {
		s := &Session{}
		if !s.ClaimName("p", one, c.replaceable) || !s.ClaimName("q", one, false) {
			t.Fatal("the first resource is not alone")
		}
		if c.replaceable {
			s.Exists("p", engine.Placement{})
		}
		if got := s.ClaimName("p", c.config, c.exists); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if s.PlacementApplied("p"); !s.ClaimName("p", other, true) {
			t.Errorf("%s: the name is still taken after the apply", name)
		}
	}
}

// TestPassesOn checks that no name passes from one placement to another in the same run, whichever is planned first.
func TestPassesOn(t *testing.T) {
	t.Parallel()
	config := tftypes.NewValue(tftypes.String, "any")
	type planned struct{ former, name string }
	for name, c := range map[string]struct {
		plans  []planned
		passed string
	}{
		"a rename":                 {[]planned{{"", "web"}, {"shop", "store"}}, ""},
		"two renames":              {[]planned{{"web", "site"}, {"shop", "store"}}, ""},
		"the other takes it later": {[]planned{{"web", "site"}, {"", "web"}}, "web"},
		"the other takes it first": {[]planned{{"", "web"}, {"web", "site"}}, "web"},
		"both exchange their name": {[]planned{{"web", "shop"}, {"shop", "web"}}, "shop"},
	} {
		s := &Session{}
		got := ""
		for _, one := range c.plans {
			if passed, passesOn := s.PassesOn(one.former, one.name); passesOn {
				got = passed
			}
			s.ClaimName(one.name, config, one.former != "")
		}
		if got != c.passed {
			t.Errorf("%s: got %q, want %q", name, got, c.passed)
		}
	}
}
