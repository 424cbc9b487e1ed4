package difference

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Owner is the owner of an object.
type Owner struct {
	Kind string `tfsdk:"kind"`
	Name string `tfsdk:"name"`
	Text string `tfsdk:"text"`
}

// OwnerTypes are the attribute types of an Owner.
var OwnerTypes = map[string]attr.Type{"kind": types.StringType, "name": types.StringType, "text": types.StringType}

// OwnerAttributes returns the schema of an Owner.
func OwnerAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"kind": text(enum.OneOf[takeover.OwnerKind]() + ". `placement` is a placement of the engine `direct`. `unrecorded` means that the object has the " +
			"label of such a placement, but the record of the placement does not list it. `released` is an object that a placement of this provider left " +
			"on the cluster."),
		"name": text("Name of the owner, if known."),
		"text": text("Kind and name, for display; empty without an owner."),
	}
}

// FlattenOwner converts an owner. The kind is "none" if there is no owner.
func FlattenOwner(owner takeover.Owner) Owner {
	out := Owner{Kind: string(owner.Kind), Name: printable.Line(owner.Name), Text: printable.Line(owner.String())}
	if out.Kind == "" {
		out.Kind = string(takeover.OwnerNone)
	}
	return out
}

// FlattenCurrentOwner is [FlattenOwner] for an object that no placement is about to place: the text of a placement is `placement "x"`, not `another placement
// "x"`. Names have a bounded length.
func FlattenCurrentOwner(owner takeover.Owner) Owner {
	owner.Name = model.Name(owner.Name)
	out := FlattenOwner(owner)
	if owner.Kind == takeover.OwnerPlacement {
		out.Text = "placement " + strconv.Quote(owner.Name)
	}
	return out
}
