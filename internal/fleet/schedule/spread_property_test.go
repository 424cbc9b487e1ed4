package schedule

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// TestSpreadAgainstOracle draws more clusters and domains than TestAgainstOracle. Most picks then do not change the bounds of the counts, so
// that scores are reused for the next pick.
func TestSpreadAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw{rt}
		in := Input{Now: now}
		for i := range 10 + d.upTo(20) {
			c := Cluster{
				Name:       fmt.Sprint("c", i),
				Labels:     map[string]string{"r": fmt.Sprint(d.upTo(6)), "z": fmt.Sprint(d.upTo(12))},
				Properties: map[string]string{member.NodeCountProperty: fmt.Sprint(d.upTo(3))},
			}
			if d.oneIn(10) {
				delete(c.Labels, "r")
			}
			in.Clusters = append(in.Clusters, c)
			if d.oneIn(8) {
				in.Bindings = append(in.Bindings, Binding{Cluster: c.Name, State: Bound, Obsolete: d.oneIn(2), Reason: success(c.Name, nil)})
			}
		}
		in.Policy = pick(int32(d.upTo(30)),
			spreadBy("r", int32(1+d.upTo(3)), d.one("DoNotSchedule", "ScheduleAnyway")),
			spreadBy("z", int32(1+d.upTo(3)), d.one("DoNotSchedule", "ScheduleAnyway")),
			preferred(10, sorted(member.NodeCountProperty, "Descending")))
		want, wantErr := consultOracle(in)
		got, err := Schedule(in)
		if err != nil || wantErr != nil {
			rt.Fatalf("error: %v, the oracle has: %v", err, wantErr)
		}
		if diff := cmp.Diff(want, got, byContent); diff != "" {
			rt.Fatalf("-oracle +scheduler:\n%s", diff)
		}
	})
}
