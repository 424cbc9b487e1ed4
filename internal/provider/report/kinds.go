package report

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// lacksKinds reports whether all failed objects are of kinds that their clusters do not serve.
func (o *outcome) lacksKinds() bool {
	n := 0
	for _, object := range o.result.Objects {
		if isOfUnservedKind(object) {
			n++
		}
	}
	return n > 0 && n == o.counts[failed]
}

func isOfUnservedKind(object engine.ObjectResult) bool {
	return object.Failure != nil && object.Obstacle == takeover.ObstacleNotServed
}

// kindNext says what the user can do about objects whose kind did not arrive while the apply waited: another placement of the run may be applied later.
func (o *outcome) kindNext() string {
	var kinds, others []string
	for _, object := range o.result.Objects {
		kind := object.GroupVersionKind()
		if !isOfUnservedKind(object) || slices.Contains(kinds, model.KindName(kind)) {
			continue
		}
		kinds = append(kinds, model.KindName(kind))
		if o.asked.Brings == nil {
			continue
		}
		if by := o.asked.Brings(kind); by != "" && !slices.Contains(others, by) {
			others = append(others, by)
		}
	}
	next := fmt.Sprintf("The next apply creates the objects if the clusters serve %s by then. ", words.List(kinds, model.MaxFields))
	if len(others) == 0 {
		return next + "If another placement brings the kind, add depends_on = [...] with the resource of that placement to the resource of this one: then one apply is enough."
	}
	return next + fmt.Sprintf("The kind comes with %s, which Terraform had not applied by then. To create the objects in the same apply, add depends_on = [...] with the "+
		"resource of %s to the resource of placement %q.", model.PlacementList(others), model.PlacementList(others), o.name)
}
