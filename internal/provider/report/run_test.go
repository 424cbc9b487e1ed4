package report

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// A new run whose status the hub does not report in time is no error: after an error, Terraform would replace it during its rollout.
func TestUnfollowedRun(t *testing.T) {
	status := stagedupdate.Status{
		Conditions: []placement.Condition{{Type: stagedupdate.Progressing, Status: placement.True, Message: "rolling out"}},
		Stages:     []stagedupdate.StageStatus{{Name: "canary"}},
	}
	away := &engine.UnfollowedError{Err: errors.New("cluster \"hub\": does not answer")}
	for name, c := range map[string]struct {
		created  bool
		err      error
		severity diag.Severity
	}{
		"run-unfollowed":        {true, away, diag.SeverityWarning},
		"run-unfollowed-change": {false, away, diag.SeverityError},
		"run-deleted":           {true, errors.New("the run \"web\" was deleted while the provider waited for it"), diag.SeverityError},
	} {
		var diags diag.Diagnostics
		UpdateRun(&diags, path.Root("name"), engine.Reference{Name: "web"}, c.created, status, c.err)
		if len(diags) != 1 || diags[0].Severity() != c.severity {
			t.Fatalf("%s: %v", name, diags)
		}
		golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
	}
}

// An apply that times out reports the progress of the run. A context that ended is no failure of the hub, whatever wraps it.
func TestRunThatWasNoLongerFollowed(t *testing.T) {
	status := stagedupdate.Status{Conditions: []placement.Condition{{Type: stagedupdate.Progressing, Status: placement.True, Message: "rolling out"}}}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("follow: %w", context.Canceled), fmt.Errorf("follow: %w", context.DeadlineExceeded)} {
		var diags diag.Diagnostics
		UpdateRun(&diags, path.Root("name"), engine.Reference{Name: "web"}, true, status, err)
		if len(diags) != 1 || strings.Contains(diags[0].Summary(), "could not be followed") {
			t.Errorf("%v: %v", err, diags)
		}
	}
}
