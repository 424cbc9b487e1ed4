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

// privateAgreement is the key of the agreement in the planned private state.
const privateAgreement = "agreement"

// agreement is what a plan hands to its apply in the planned private state: whoever applies the plan agrees to what it shows, and to nothing else.
type agreement struct {
	// Pending reports whether the apply has anything to do on a cluster.
	Pending bool `json:"pending,omitempty"`
	// Apply and Removal are texts of [engine.Expectation]: what the plan shows an apply to do, and the removal of the placement that is destroyed or
	// replaced. They are empty where the plan was not to check any cluster.
	Apply   string `json:"apply,omitempty"`
	Removal string `json:"removal,omitempty"`
	// Open are the placements on whose removal deletions of the plan depend, while the plan does not know whether the run removes them: their names,
	// separated by commas.
	Open string `json:"open,omitempty"`
	// Kinds are the kinds that other placements of the run bring: for each a line with the kind, a tab and the placement. The process that applies a plan has
	// not planned all of its placements.
	Kinds string `json:"kinds,omitempty"`
	// Changes is the text of planned_changes.
	Changes string `json:"changes,omitempty"`
}

// kindsOf returns the text of [agreement.Kinds].
func kindsOf(preview *engine.Preview) string {
	var out []string
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.BroughtBy == "" {
				continue
			}
			if line := o.GroupVersionKind().String() + "\t" + o.BroughtBy; !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return strings.Join(out, "\n")
}

// brings returns the placement that brings a kind, "" if the plan knew of none.
func (a agreement) brings(kind schema.GroupVersionKind) string {
	for line := range strings.Lines(a.Kinds) {
		if name, by, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); name == kind.String() {
			return by
		}
	}
	return ""
}

// bringers returns a function that returns the other placement that brings a kind to the named one, "" if none is known to.
func (a agreement) bringers(shared *session.Session, name string) func(schema.GroupVersionKind) string {
	return func(kind schema.GroupVersionKind) string { return cmp.Or(a.brings(kind), shared.Definer(name, kind)) }
}

// stillOpen returns the placements whose removal the plan did not know of.
func (a agreement) stillOpen(placements []string) []string {
	open := strings.Split(a.Open, ",")
	return slices.DeleteFunc(slices.Clone(placements), func(name string) bool { return !slices.Contains(open, name) })
}

// recallAgreement reads the agreement of a planned private state; the zero value for none.
func recallAgreement(ctx context.Context, state private.Reader, diags *diag.Diagnostics) agreement {
	var out agreement
	private.Recall(ctx, state, privateAgreement, &out, diags)
	return out
}

// keep writes the agreement into a planned private state.
func (a agreement) keep(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Keep(ctx, state, privateAgreement, a, diags)
}

// dropAgreement removes the agreement from a private state: it holds for one apply, whatever becomes of that.
func dropAgreement(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Keep(ctx, state, privateAgreement, nil, diags)
}

// plannedBefore returns the agreement of the plan that is being applied: Terraform plans a resource again right before it applies it. found is false
// in the first plan, and in every plan of a Terraform that does not hand over what a plan has stored.
func plannedBefore(ctx context.Context, diags *diag.Diagnostics) (agreed agreement, found bool) {
	state, found := plannedprivate.From(ctx)
	if !found {
		return agreement{}, false
	}
	agreed = recallAgreement(ctx, state, diags)
	return agreed, agreed != agreement{}
}

// takeAgreement returns the agreement that an apply carries out, and removes it from the private state. Of an apply that creates a resource, the
// framework does not pass it on.
func takeAgreement(ctx context.Context, create bool, state Private, diags *diag.Diagnostics) agreement {
	if create {
		agreed, _ := plannedBefore(ctx, diags)
		return agreed
	}
	agreed := recallAgreement(ctx, state, diags)
	dropAgreement(ctx, state, diags)
	return agreed
}

// expected reads the text of an expectation; nil for none.
func expected(text string, diags *diag.Diagnostics) *engine.Expectation {
	if text == "" {
		return nil
	}
	out, err := engine.ParseExpectation(text)
	if err != nil {
		diags.AddError("The plan cannot be applied", "What the plan has stored cannot be read: "+err.Error()+". Nothing was written. Plan again with this version "+
			"of the provider.")
	}
	return out
}
