package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Number is a format for the number of objects of an action.
type Number struct {
	Action takeover.Action
	Format string
}

// Numbers writes the numbers of some actions, without zeros.
func Numbers(of map[takeover.Action]int, parts []Number) string {
	var out []string
	for _, part := range parts {
		if n := of[part.Action]; n > 0 {
			out = append(out, fmt.Sprintf(part.Format, n))
		}
	}
	return strings.Join(out, ", ")
}
