package objectowner

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	texts "github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

type model struct {
	identifier.OnMember
	Exists      types.Bool   `tfsdk:"exists"`
	Owner       types.Object `tfsdk:"owner"`
	Placement   types.Object `tfsdk:"placement"`
	Description types.String `tfsdk:"description"`
	Since       types.String `tfsdk:"since"`
	CreatedAt   types.String `tfsdk:"created_at"`
	Deleting    types.Bool   `tfsdk:"deleting"`
	Marks       types.List   `tfsdk:"marks"`
	Controllers types.List   `tfsdk:"controllers"`
	Managers    types.List   `tfsdk:"managers"`
}

type placementModel struct {
	Engine    string `tfsdk:"engine"`
	Name      string `tfsdk:"name"`
	Namespace string `tfsdk:"namespace"`
	ID        string `tfsdk:"id"`
}

type markModel struct {
	difference.Owner
	Mark string `tfsdk:"mark"`
}

type managerModel struct {
	Manager     string   `tfsdk:"manager"`
	Operation   string   `tfsdk:"operation"`
	Subresource string   `tfsdk:"subresource"`
	Time        string   `tfsdk:"time"`
	Fields      []string `tfsdk:"fields"`
	MoreFields  int64    `tfsdk:"more_fields"`
}

// flatten sets the computed attributes. Texts from the cluster have a bounded length.
func (m *model) flatten(ctx context.Context, request owners.Request, found *owners.Found, diags *diag.Diagnostics) {
	attributes := computedAttributes()
	m.Exists, m.Deleting = types.BoolValue(true), types.BoolValue(found.Deleting)
	m.Description, m.Since, m.CreatedAt = convert.Line(describe(request, found)), convert.Line(found.Since), convert.Line(found.CreatedAt)
	m.Owner = convert.Object(ctx, attributes["owner"], new(difference.FlattenCurrentOwner(found.Owner)), diags)
	m.Placement = convert.Object(ctx, attributes["placement"], flattenPlacement(found), diags)
	m.Marks = convert.List(ctx, attributes["marks"], convert.All(found.Marks, func(mark takeover.Mark) markModel {
		return markModel{Owner: difference.FlattenCurrentOwner(mark.Owner), Mark: texts.Message(mark.Text)}
	}), diags)
	m.Controllers = convert.List(ctx, attributes["controllers"], convert.All(found.Controllers, identifier.FlattenObject), diags)
	m.Managers = convert.List(ctx, attributes["managers"], convert.All(found.Managers, func(entry diff.Entry) managerModel {
		return managerModel{
			Manager: texts.Name(entry.Name), Operation: texts.Name(entry.Operation), Subresource: texts.Name(entry.Subresource), Time: texts.Name(entry.Time),
			Fields: convert.All(entry.Fields, texts.Message), MoreFields: int64(entry.More),
		}
	}), diags)
}

func (m *model) flattenMissing(ctx context.Context, request owners.Request, diags *diag.Diagnostics) {
	m.flatten(ctx, request, &owners.Found{}, diags)
	m.Exists, m.Description = types.BoolValue(false), convert.Line(describe(request, nil))
}

func flattenPlacement(found *owners.Found) *placementModel {
	if found.Placement == nil {
		return nil
	}
	engine := string(found.Owner.Kind) // an owner that is a hub has the name of the engine for this hub
	if found.Owner.Kind == takeover.OwnerPlacement {
		engine = "direct"
	}
	return &placementModel{
		Engine: engine, Name: texts.Name(found.Placement.Name), Namespace: texts.Name(found.Placement.Namespace), ID: texts.Name(found.Placement.ID),
	}
}
