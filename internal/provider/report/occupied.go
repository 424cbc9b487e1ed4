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
)

// occupiedAdvice explains deletions that depend on the removal of another placement.
const occupiedAdvice = "Terraform had not planned the other placement yet when this plan was made. If the run removes the other placement, its plan shows this deletion as well. " +
	"If the run keeps it, the destroy returns an error: the Namespace or CustomResourceDefinition stays in the state, and the next destroy keeps it on the cluster. " +
	"The same happens if this resource has the resource of the other placement in depends_on. In that case, remove depends_on and run apply before the destroy."

// StillOccupied adds to the error of a removal what the next destroy does with what these placements have objects in. The plan did not know whether the run
// removes them.
func StillOccupied(err error, placements []string) error {
	if len(placements) == 0 {
		return err
	}
	quoted := make([]string, len(placements))
	for i, name := range placements {
		quoted[i] = strconv.Quote(name)
	}
	names := strings.Join(quoted, " or ")
	return errors.Join(err, fmt.Errorf("if nothing removes the placement %s before this one, the next destroy keeps on the cluster what it has objects in, and completes. "+
		"If this resource has the resource of placement %s in depends_on, Terraform removes this one first: remove depends_on, run apply, and run destroy again",
		names, names))
}

// isOccupied reports whether a removal deletes anything on the condition that another placement is removed.
func isOccupied(preview *engine.Preview) bool {
	return slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool { return remaining(cluster).occupied > 0 })
}

// occupiedSection shows what a removal deletes only if the run removes other placements as well.
func occupiedSection(found []*finding) *section {
	occupied := slices.DeleteFunc(slices.Clone(found), func(f *finding) bool { return f.object.Obstacle != takeover.ObstacleOccupied })
	return objectSection(occupied, "DELETED if the run removes another placement as well:", 6, (*finding).released)
}

// freedSection shows what other plans delete because this placement is removed.
func freedSection(freed []engine.Occupied) *section {
	out := &section{title: "DELETED as well, once this placement is removed:", what: "object", reserve: 6}
	clusters := map[string][]string{}
	var lines []string
	for _, o := range freed {
		line := plain(o.Identifier.String(), maxName) + " of the placement " + strconv.Quote(plain(o.Placement, maxName))
		if clusters[line] == nil {
			lines = append(lines, line)
		}
		clusters[line] = append(clusters[line], plain(o.Cluster, maxName))
	}
	for _, line := range lines {
		out.add(fmt.Sprintf("  %s on %s", line, words.List(clusters[line], maxClusters)))
	}
	return out
}
