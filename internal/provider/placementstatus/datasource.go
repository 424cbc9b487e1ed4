// Package placementstatus implements the data source fleet_crp.
package placementstatus

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// New returns the data source.
func New() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

func (query) TypeName() string { return "crp" }

type model struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	WaitFor   types.Object `tfsdk:"wait_for"`
	Spec      types.Object `tfsdk:"spec"`
	Status    types.Object `tfsdk:"status"`
}

type waitModel struct {
	Condition domain.ConditionType `tfsdk:"condition"`
	Timeout   *string              `tfsdk:"timeout"`
}

// Read reads the placement. It waits for a condition if the configuration asks for one.
func (query) Read(ctx context.Context, shared *session.Session, m *model, diags *diag.Diagnostics) {
	recorded := m.read(ctx, shared.Engine, diags)
	if diags.HasError() {
		return
	}
	m.Spec = convert.Object(ctx, specAttribute(), flattenSpec(recorded), diags)
	m.Status = convert.Object(ctx, statusAttribute(), flattenStatus(recorded.Status), diags)
}

const (
	defaultTimeout = 5 * time.Minute
	pollInterval   = 2 * time.Second
)

func (m model) read(ctx context.Context, fleet engine.Engine, diags *diag.Diagnostics) *engine.Recorded {
	reference := engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
	name := reference.String()
	if reference.Namespace != "" && !checkNamespace(fleet, reference, diags) {
		return nil
	}
	wait := convert.FromObject[waitModel](ctx, m.WaitFor, diags)
	limit := defaultTimeout
	if wait != nil && wait.Timeout != nil {
		limit, _ = time.ParseDuration(*wait.Timeout) // the validator has parsed it before
	}
	deadline := time.Now().Add(limit)
	for {
		recorded, err := fleet.ReadPlacement(ctx, engine.Placement{Reference: reference})
		switch {
		case errors.Is(err, engine.ErrNotFound):
			addNotFound(fleet, reference, diags)
			return nil
		case err != nil:
			report.Error(diags, path.Root("name"), "The placement \""+name+"\" could not be read", err)
			return nil
		case wait == nil || recorded.Status.IsOf(wait.Condition, recorded.Generation):
			report.Withheld(diags, name, recorded.Withheld)
			return recorded
		}
		if time.Now().Add(pollInterval).After(deadline) {
			addTimeout(name, wait.Condition, limit, recorded, diags)
			return nil
		}
		select {
		case <-ctx.Done():
			diags.AddError("Waiting for placement \""+name+"\" was interrupted", ctx.Err().Error())
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// checkNamespace adds an error and returns false if the engine has no placements in namespaces. Such an engine would read the cluster-scoped placement of this
// name.
func checkNamespace(fleet engine.Engine, reference engine.Reference, diags *diag.Diagnostics) bool {
	at := domain.At("namespace").String()
	found := slices.DeleteFunc(fleet.CheckPlacement(engine.Placement{Reference: reference}), func(l engine.Limitation) bool { return l.Path.String() != at })
	report.Limitations(diags, found)
	return len(found) == 0
}

func addNotFound(fleet engine.Engine, reference engine.Reference, diags *diag.Diagnostics) {
	what, resource := "No member has a record of it. Check the name and the provider's \"members\"", "fleet_crp"
	if _, hasHub := fleet.(engine.Consequences); hasHub {
		what = "The hub has no cluster-scoped placement of that name. Check the name and the provider's \"hub\""
	}
	if reference.Namespace != "" {
		what, resource = "The hub has no placement of that name in that namespace. Check the name, the namespace and the provider's \"hub\"", "fleet_resource_placement"
	}
	diags.AddAttributeError(path.Root("name"), "There is no placement \""+reference.String()+"\"",
		what+". If this configuration creates the placement, create it first: depends_on = ["+resource+".NAME].")
}

func addTimeout(name string, condition domain.ConditionType, limit time.Duration, recorded *engine.Recorded, diags *diag.Diagnostics) {
	summary := recorded.Status.Summarize()
	current := summary.Conditions[string(condition)]
	switch {
	case current == "":
		current = "not reported yet"
	case recorded.Status.Is(condition):
		current = "that of an earlier generation of the placement: the hub has not observed the last change yet"
	}
	diags.AddAttributeError(path.Root("wait_for"), "Placement \""+name+"\" has not become "+string(condition)+" in "+limit.String(),
		"The condition is "+current+".\n\n"+report.Phases(summary))
}
