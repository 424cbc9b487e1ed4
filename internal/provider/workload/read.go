package workload

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// readWorkload reads a workload and reports its diagnostics. found is nil if the workload could not be read. If the workload does not exist, exists is false,
// and there is no diagnostic.
func readWorkload(ctx context.Context, shared *session.Session, m Model, diags *diag.Diagnostics) (found *workload.Found, exists bool) {
	request := m.request()
	found, err := shared.Workloads.Read(ctx, request)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return nil, false
	case err != nil:
		report.MemberError(diags, fmt.Sprintf("%s on %q could not be read", request.Workload, request.Cluster), err)
		return nil, true
	}
	report.Workload(diags, request, found)
	return found, true
}
