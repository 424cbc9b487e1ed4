package engine

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// RefuseIgnoreFields returns a limitation if a placement has ignore_fields, and nil otherwise. It is for engines that write whole objects. advice is the
// message of the limitation.
func RefuseIgnoreFields(p Placement, advice string) []Limitation {
	if len(p.IgnoreFields) == 0 {
		return nil
	}
	return []Limitation{{Path: placement.At("ignore_fields"), Message: advice}}
}
