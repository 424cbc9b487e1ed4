// Package difference has the Terraform representation of the differences between two objects, and of the owner of an object.
package difference

import (
	"cmp"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Difference is a field that differs between the object to place and the object on the member.
type Difference struct {
	Field    string  `tfsdk:"field"`
	Path     string  `tfsdk:"path"`
	InHub    *string `tfsdk:"in_hub"`
	InMember *string `tfsdk:"in_member"`
	Manager  string  `tfsdk:"manager"`
}

// Types are the attribute types of a Difference.
var Types = map[string]attr.Type{
	"field": types.StringType, "path": types.StringType, "in_hub": types.StringType, "in_member": types.StringType, "manager": types.StringType,
}

// PatchDetail is a difference in KubeFleet's format.
type PatchDetail struct {
	Path          string `tfsdk:"path"`
	ValueInMember string `tfsdk:"value_in_member"`
	ValueInHub    string `tfsdk:"value_in_hub"`
}

// PatchDetailTypes are the attribute types of a PatchDetail.
var PatchDetailTypes = map[string]attr.Type{
	"path": types.StringType, "value_in_member": types.StringType, "value_in_hub": types.StringType,
}

// Flatten converts differences to their Terraform representation, with printable texts. It never returns nil.
func Flatten(differences []diff.Difference) []Difference {
	out := make([]Difference, len(differences))
	for i, d := range differences {
		out[i] = Difference{
			Field: printable.Line(cmp.Or(d.Field, d.Path)), Path: printable.Line(d.Path), Manager: printable.Line(d.Manager.String()),
		}
		if d.HasHub {
			out[i].InHub = encodeText(d.InHub)
		}
		if d.HasMember {
			out[i].InMember = encodeText(d.InMember)
		}
	}
	return out
}

// maxText is the maximum length of a value, in bytes of JSON. A longer value is represented by its beginning, because the state stores the value for
// every cluster.
const maxText = 4096

// encodeText encodes a value as JSON. The text remains valid JSON if unprintable characters are escaped.
func encodeText(value any) *string {
	encoded, err := json.Marshal(value)
	if err != nil || len(encoded) > maxText {
		// The rendered value is a string, so it is valid JSON as well.
		encoded, _ = json.Marshal(diff.Render(value))
	}
	return new(printable.Line(string(encoded)))
}

// FlattenPatchDetails converts differences in KubeFleet's format. It never returns nil.
func FlattenPatchDetails(details []placement.PatchDetail) []PatchDetail {
	return convert.All(details, func(detail placement.PatchDetail) PatchDetail {
		return PatchDetail{
			Path: printable.Line(detail.Path), ValueInMember: printable.Line(detail.ValueInMember), ValueInHub: printable.Line(detail.ValueInHub),
		}
	})
}
