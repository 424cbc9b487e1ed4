// Package difference is how Terraform has what a comparison found: the same in the data source that previews a placement and in the
// function that compares two texts.
package difference

import (
	"cmp"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Difference is a field that is not the same in what is to be placed and on the member.
type Difference struct {
	Field    string  `tfsdk:"field"`
	Path     string  `tfsdk:"path"`
	InHub    *string `tfsdk:"in_hub"`
	InMember *string `tfsdk:"in_member"`
	Manager  string  `tfsdk:"manager"`
}

// Types are those of a Difference.
var Types = map[string]attr.Type{
	"field": types.StringType, "path": types.StringType, "in_hub": types.StringType, "in_member": types.StringType, "manager": types.StringType,
}

// PatchDetail is a difference in KubeFleet's form.
type PatchDetail struct {
	Path          string `tfsdk:"path"`
	ValueInMember string `tfsdk:"value_in_member"`
	ValueInHub    string `tfsdk:"value_in_hub"`
}

// PatchDetailTypes are those of a PatchDetail.
var PatchDetailTypes = map[string]attr.Type{
	"path": types.StringType, "value_in_member": types.StringType, "value_in_hub": types.StringType,
}

// Owner is who looks after an object.
type Owner struct {
	Kind string `tfsdk:"kind"`
	Name string `tfsdk:"name"`
	Text string `tfsdk:"text"`
}

// OwnerTypes are those of an Owner.
var OwnerTypes = map[string]attr.Type{"kind": types.StringType, "name": types.StringType, "text": types.StringType}

// Flatten returns the differences as Terraform has them, with printable texts; never nil.
func Flatten(differences []diff.Difference) []Difference {
	out := make([]Difference, len(differences))
	for i, d := range differences {
		out[i] = Difference{
			Field: printable.Line(cmp.Or(d.Field, d.Path)), Path: printable.Line(d.Path), Manager: printable.Line(d.Manager.String()),
		}
		if d.HasHub {
			out[i].InHub = text(d.InHub)
		}
		if d.HasMember {
			out[i].InMember = text(d.InMember)
		}
	}
	return out
}

// maxText is how many bytes of JSON a value may have; a longer one is told by its beginning, since it would stand in the state for every
// cluster.
const maxText = 4096

// text writes a value as JSON, which stays JSON where a character becomes an escape.
func text(value any) *string {
	encoded, err := json.Marshal(value)
	if err != nil || len(encoded) > maxText {
		// A string that is cut, or stands for something else, is JSON still.
		encoded, _ = json.Marshal(diff.Render(value))
	}
	return new(printable.Line(string(encoded)))
}

// FlattenPatchDetails returns differences in KubeFleet's form; never nil.
func FlattenPatchDetails(details []placement.PatchDetail) []PatchDetail {
	return convert.All(details, func(detail placement.PatchDetail) PatchDetail {
		return PatchDetail{
			Path: printable.Line(detail.Path), ValueInMember: printable.Line(detail.ValueInMember), ValueInHub: printable.Line(detail.ValueInHub),
		}
	})
}

// FlattenOwner returns an owner; its kind is "none" for nobody.
func FlattenOwner(owner takeover.Owner) Owner {
	out := Owner{Kind: string(owner.Kind), Name: printable.Line(owner.Name), Text: printable.Line(owner.String())}
	if out.Kind == "" {
		out.Kind = string(takeover.OwnerNone)
	}
	return out
}
