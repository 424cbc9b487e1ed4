package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// finding is what happens to one object, alike on all of these clusters.
type finding struct {
	object   engine.ObjectPreview
	clusters []string
	// manager is the field manager under which the placement's objects are written.
	manager string
}

// findings sorts the objects by what happens to them and puts together what is the same on several clusters, so that one workload on sixty
// of them is read once. Conflicts that differ come first, otherwise the order is the one in which they are met.
func findings(preview *engine.Preview) map[takeover.Action][]*finding {
	out := map[takeover.Action][]*finding{}
	known := map[string]*finding{}
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if object.Action == takeover.ActionNone && object.Obstacle == takeover.ObstacleNone || object.Action == takeover.ActionCreate {
				continue // right as it is, or to be made: there is nothing to know of it
			}
			object.Problem, object.Message = impersonal(object.Problem, cluster.Name), impersonal(object.Message, cluster.Name)
			key := sameness(object)
			one, found := known[key]
			if !found {
				one = &finding{object: object, manager: preview.Manager}
				known[key] = one
				out[object.Action] = append(out[object.Action], one)
			}
			one.clusters = append(one.clusters, plain(cluster.Name, maxName))
		}
	}
	for _, conflicts := range [][]*finding{out[takeover.ActionLeaveAlone], out[takeover.ActionTakeOver]} {
		// What differs has to be judged, and comes first: there may not be room for all.
		slices.SortStableFunc(conflicts, func(a, b *finding) int { return min(1, len(b.object.Differences)) - min(1, len(a.object.Differences)) })
	}
	return out
}

// sameness is equal for two objects of which a reader would be told the same.
func sameness(object engine.ObjectPreview) string {
	object.Mark, object.ResourceVersion = "", "" // they stand for the differences
	if object.Given != nil {
		given := *object.Given
		given.UID, object.Given = "", &given
	}
	text, err := json.Marshal(object)
	if err != nil { // values are JSON; what is not is told apart by how it looks
		return fmt.Sprint(object)
	}
	return string(text)
}

// title names the object, and the envelope that it comes in.
func (f *finding) title() string {
	text := plain(f.object.Identifier.String(), maxName)
	if e := f.object.Envelope; e != nil {
		text += fromEnvelope + plain(envelopeName(e), maxName)
	}
	return text
}

const fromEnvelope = " from envelope "

// envelopeName is the name of an envelope with its namespace, if it is in one.
func envelopeName(e *manifest.Envelope) string {
	return strings.TrimPrefix(e.Namespace+"/"+e.Name, "/")
}

// owner is who looks after the object, empty if nobody is known to.
func (f *finding) owner() string { return plain(f.object.Owner.String(), maxName) }

// equality says that the object is as it is to be placed, where that has been found out.
func (f *finding) equality() string {
	compared := f.object.Action == takeover.ActionTakeOver || f.object.Obstacle == takeover.ObstacleMode
	if !compared || f.object.Claimed || len(f.object.Differences) > 0 {
		return ""
	}
	return "no difference found"
}

// obstacle is what stands in the way, besides what is told of the object anyway: a difference that is shown, an owner that is named.
func (f *finding) obstacle() string {
	if f.object.Claimed {
		return plain(f.object.Problem, maxMessage)
	}
	switch f.object.Obstacle {
	case takeover.ObstacleNone, takeover.ObstacleMode, takeover.ObstacleDifferences:
		return ""
	case takeover.ObstacleForeignOwner, takeover.ObstacleOwnerReferences:
		if f.object.Owner.Exclusive {
			return ""
		}
	case takeover.ObstacleDegradedDifferences, takeover.ObstacleNotCompared, takeover.ObstacleNotAgreed, takeover.ObstacleBeingDeleted,
		takeover.ObstacleNotServed, takeover.ObstacleNotReadable, takeover.ObstacleAdmission, takeover.ObstacleContents,
		takeover.ObstacleOccupied, takeover.ObstacleAdopted, takeover.ObstacleAbandoned, takeover.ObstacleReplaced, takeover.ObstacleNotOwned, takeover.ObstacleLeft:
	}
	return plain(f.object.Problem, maxMessage)
}
