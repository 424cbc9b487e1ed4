package engine_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

func TestIsOlderID(t *testing.T) {
	former := engine.NewID()
	now := engine.NewID()
	const untimed = "0b8f4a52-0d0c-4ad7-9a0c-0b3a4a5d6e7f"
	for _, tt := range []struct {
		name, id, other string
		want            bool
	}{
		{"older", former, now, true},
		{"younger", now, former, false},
		{"the same", now, now, false},
		{"without a time", untimed, now, false},
		{"than one without a time", former, untimed, false},
		{"no identity", "", now, false},
		{"than no identity", former, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := engine.IsOlderID(tt.id, tt.other); got != tt.want {
				t.Errorf("%q is older than %q: %t", tt.id, tt.other, got)
			}
		})
	}
}
