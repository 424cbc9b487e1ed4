package report

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

func countUnserved(objects []engine.ObjectResult) int {
	n := 0
	for _, object := range objects {
		if isOfUnservedKind(object) {
			n++
		}
	}
	return n
}

func isOfUnservedKind(object engine.ObjectResult) bool {
	return object.Failure != nil && object.Obstacle == takeover.ObstacleNotServed
}

// adviseOnKinds says what the user can do about objects whose kind the cluster did not serve while the apply waited. brings returns the placement of the run
// that defines a kind, or "" if none is known. brings may be nil.
func adviseOnKinds(placement string, objects []engine.ObjectResult, brings func(schema.GroupVersionKind) string) string {
	var kinds, others []string
	for _, object := range objects {
		kind := object.GroupVersionKind()
		if !isOfUnservedKind(object) || slices.Contains(kinds, model.KindName(kind)) {
			continue
		}
		kinds = append(kinds, model.KindName(kind))
		if brings == nil {
			continue
		}
		if by := brings(kind); by != "" && !slices.Contains(others, by) {
			others = append(others, by)
		}
	}
	next := fmt.Sprintf("The next apply creates the objects if the clusters serve %s by then. ", words.List(kinds, model.MaxFields))
	if len(others) == 0 {
		return next + "If another placement provides the kind, add depends_on = [...] with the resource of that placement to the resource of this one: then " +
			"one apply is enough."
	}
	return next + fmt.Sprintf("The kind comes from %s, which Terraform had not applied yet. To create the objects in the same apply, add depends_on = [...] with the "+
		"resource of %s to the resource of placement %q.", model.PlacementList(others), model.PlacementList(others), placement)
}
