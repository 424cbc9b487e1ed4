package placement

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

const privateAgreement = "agreement"

// agreement is the data that a plan passes to its apply in the planned private state. By applying the plan, the user agrees to what it shows.
type agreement struct {
	// Pending means that the apply has something to do on a cluster.
	Pending bool `json:"pending,omitempty"`
	// Apply and Removal are texts of [engine.Expectation]. Apply has what the plan shows for an apply. Removal has what it shows for the removal of a destroyed
	// or replaced placement; it is empty without a removal. If the preview is off, an empty text allows everything: see expectUnchecked.
	Apply   string `json:"apply,omitempty"`
	Removal string `json:"removal,omitempty"`
	// Open names placements, separated by commas. A deletion depends on their removal, and the plan does not know whether the run removes them.
	Open string `json:"open,omitempty"`
	// Kinds lists the kinds of created objects that other placements of the run define: each line has the kind, a tab and the placement. The process that
	// applies the plan may not have planned these placements yet. Changes is the text of planned_changes.
	Kinds   string `json:"kinds,omitempty"`
	Changes string `json:"changes,omitempty"`
}

func formatKinds(preview *engine.Preview) string {
	var out []string
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.ProvidedBy == "" {
				continue
			}
			if line := o.GroupVersionKind().String() + "\t" + o.ProvidedBy; !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return strings.Join(out, "\n")
}

func (a agreement) findDefiner(kind schema.GroupVersionKind) string {
	for line := range strings.Lines(a.Kinds) {
		if name, by, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); name == kind.String() {
			return by
		}
	}
	return ""
}

// newDefinerFunc returns a function that returns the placement, other than the named one, that defines a kind, or "" if none is known.
func (a agreement) newDefinerFunc(shared *session.Session, name string) func(schema.GroupVersionKind) string {
	return func(kind schema.GroupVersionKind) string {
		return cmp.Or(a.findDefiner(kind), shared.Definer(name, kind))
	}
}

func (a agreement) filterOpen(placements []string) []string {
	open := strings.Split(a.Open, ",")
	return slices.DeleteFunc(slices.Clone(placements), func(name string) bool { return !slices.Contains(open, name) })
}

// recallAgreement returns the agreement in a private state, or the zero value if there is none.
func recallAgreement(ctx context.Context, state private.Reader, diags *diag.Diagnostics) agreement {
	var out agreement
	private.Recall(ctx, state, privateAgreement, &out, diags)
	return out
}

func (a agreement) store(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Set(ctx, state, privateAgreement, a, diags)
}

// dropAgreement removes the agreement. An agreement is valid for one apply only, even if this apply fails.
func dropAgreement(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Set(ctx, state, privateAgreement, nil, diags)
}

// recallApplied returns the agreement of the plan that is being applied: Terraform plans a resource again right before it applies the plan. found is
// false in the first plan, and always if Terraform does not pass the plan's private state to the second one.
func recallApplied(ctx context.Context, diags *diag.Diagnostics) (agreed agreement, found bool) {
	state, found := plannedprivate.From(ctx)
	if !found {
		return agreement{}, false
	}
	agreed = recallAgreement(ctx, state, diags)
	return agreed, agreed != agreement{}
}

// takeAgreement returns the agreement that an apply carries out, and removes it from the private state. If the apply creates the resource, the
// framework does not pass on the planned private state, and takeAgreement reads it from the context.
func takeAgreement(ctx context.Context, create bool, state Private, diags *diag.Diagnostics) agreement {
	if create {
		agreed, _ := recallApplied(ctx, diags)
		return agreed
	}
	agreed := recallAgreement(ctx, state, diags)
	dropAgreement(ctx, state, diags)
	return agreed
}

func parseExpectation(text string, diags *diag.Diagnostics) *engine.Expectation {
	if text == "" {
		return nil
	}
	out, err := engine.ParseExpectation(text)
	if err != nil {
		diags.AddError("The plan cannot be applied", "The data stored in the plan cannot be read: "+err.Error()+". Nothing was written. Plan "+
			"again with this version of the provider.")
	}
	return out
}
