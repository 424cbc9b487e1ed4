package apply

import (
	"context"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestWaitAvailable checks that a wait that ends because another operation has taken over the placement does not count as timed out.
func TestWaitAvailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause error
		want  bool
	}{
		"timed out":  {context.DeadlineExceeded, true},
		"taken over": {&engine.BusyError{Placement: "p", Cluster: "a"}, false},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(c.cause)
		waiting := memberapply.New(nil, nil)
		waiting.Record(&memberpreview.Object{}, memberapply.Outcome{Waiting: &placement.Condition{}})
		r := &run{clusters: map[string]*cluster{"a": {Cluster: &plan.Cluster{MemberState: &plan.MemberState{}}, Run: waiting}}}
		r.options.WaitUntilAvailable = true
		if got := r.waitAvailable(ctx); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
