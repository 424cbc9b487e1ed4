package engine

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// RefuseIgnoreFields returns the limitation of an engine that writes whole objects, if a placement has ignore_fields.
func RefuseIgnoreFields(p Placement, advice string) []Limitation {
	if len(p.IgnoreFields) == 0 {
		return nil
	}
	return []Limitation{{Path: placement.At("ignore_fields"), Message: advice}}
}
