package protocol

import (
	"strings"
	"testing"
)

// TestOrder checks that another order of clusters and tolerations is no change.
func TestOrder(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "order")
	const one, two = `{ key = "one", operator = "Exists" }`, `{ key = "two", value = "b" }`
	named := func(clusters string) string { return a.configuration("blue", clusters, "a") }
	tolerating := func(tolerations string) string {
		return strings.Replace(named(onTwo), `"PickFixed", cluster_names = [`+onTwo+"]", `"PickAll", tolerations = [`+tolerations+"]", 1)
	}
	done(t, a.Apply(t.Context(), named(onTwo)))
	changes(t, a.Plan(t.Context(), named(`"member-2", "member-1"`)), "fleet_crp.p", NoOp)
	changes(t, a.Plan(t.Context(), named(`"member-2"`)), "fleet_crp.p", Update)

	done(t, a.Apply(t.Context(), tolerating(one+", "+two)))
	changes(t, a.Plan(t.Context(), tolerating(two+", "+one)), "fleet_crp.p", NoOp)
	changes(t, a.Plan(t.Context(), tolerating(one)), "fleet_crp.p", Update)
	done(t, a.Apply(t.Context(), a.provider))
}
