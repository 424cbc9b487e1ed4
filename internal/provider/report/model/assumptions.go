package model

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

const maxAssumed = 20

// Assumptions are what a report assumes about members.
type Assumptions struct {
	// Assumed are the assumptions, as clauses. Added are the clusters that are picked only under these assumptions, Dropped those that are picked only without
	// them.
	Assumed, Added, Dropped []string
}

// Describe returns the assumptions, and which clusters are picked because of them, as sentences. Each assumption and each name is formatted with format.
func (a Assumptions) Describe(format func(string) string) (assumed, moves string) {
	list := func(texts []string, limit int) string {
		out := make([]string, len(texts))
		for i, text := range texts {
			out[i] = format(text)
		}
		return words.First(out, limit)
	}
	var parts []string
	if len(a.Added) > 0 {
		parts = append(parts, "also picks "+list(a.Added, MaxClusters))
	}
	if len(a.Dropped) > 0 {
		parts = append(parts, "no longer picks "+list(a.Dropped, MaxClusters))
	}
	moves = "The placement picks the same clusters with and without the assumptions: nothing moves."
	if len(parts) > 0 {
		moves = "Under the assumptions, the placement " + strings.Join(parts, ", and ") + "."
	}
	return list(a.Assumed, maxAssumed) + ". Nothing is changed: the report shows what an apply would do under these assumptions.", moves
}
