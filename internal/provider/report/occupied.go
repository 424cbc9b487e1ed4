package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// occupiedAdvice explains deletions that depend on the removal of another placement.
const occupiedAdvice = "When this plan was made, Terraform had not planned the other placement, or another configuration has it: then destroy that one first. If the run removes the other placement, its plan shows this deletion as well. " +
	"If the run keeps it, the destroy returns an error: the Namespace or CustomResourceDefinition stays in the state, and the next destroy keeps it on the cluster. " +
	"The same happens if this resource has the resource of the other placement in depends_on. In that case, remove depends_on and run apply before the destroy."

// StillOccupied adds advice to the error of a removal: what the next destroy does with the Namespaces and CustomResourceDefinitions that contain objects of the
// given placements. When the removal was planned, it was unknown whether the run removes these placements. Without placements, StillOccupied returns err
// unchanged.
func StillOccupied(err error, placements []string) error {
	if len(placements) == 0 {
		return err
	}
	quoted := make([]string, len(placements))
	for i, name := range placements {
		quoted[i] = strconv.Quote(name)
	}
	names := strings.Join(quoted, " or ")
	return errors.Join(err, fmt.Errorf("if nothing removes the placement %s before this one, the next destroy completes and keeps the Namespaces and "+
		"CustomResourceDefinitions that contain its objects. If this resource has the resource of placement %s in depends_on, Terraform removes this one "+
		"first: remove depends_on, run apply, and run destroy again",
		names, names))
}

// occupied returns a section about the objects that a removal deletes only if the run removes other placements as well.
func occupied(r *model.Report) *plain.Section {
	rows := slices.DeleteFunc(slices.Clone(r.Rows[takeover.ActionDefer]), func(o *model.Row) bool { return o.Obstacle != takeover.ObstacleOccupied })
	return plain.Kept(rows, "DELETED if the run removes another placement as well:", 6)
}

// freed returns a section about the objects that other plans delete because this placement is removed.
func freed(objects []engine.Occupied) *plain.Section {
	out := &plain.Section{Title: "DELETED as well, once this placement is removed:", Unit: "object", Reserve: 6}
	var clusters plain.Groups
	for _, o := range objects {
		clusters.Add(fmt.Sprintf("%s of the placement %q", model.Name(o.Identifier.String()), model.Name(o.Placement)), model.Name(o.Cluster))
	}
	for _, line := range clusters.Texts {
		out.Add(fmt.Sprintf("  %s on %s", line, words.List(clusters.Names[line], model.MaxClusters)))
	}
	return out
}
