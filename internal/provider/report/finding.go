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

// fate is what a reviewer has to know of an object; what is created, or left as it is because it is right, has none.
type fate int

const (
	fateNone fate = iota
	// fateLeftAlone and fateTakenOver are those of objects that exist already and are not the placement's own.
	fateLeftAlone
	fateTakenOver
	// fateUnplaceable is that of an object that cannot be placed whatever the takeover mode says.
	fateUnplaceable
	// fateDrifted is that of an object of ours that is left as others have changed it.
	fateDrifted
	fateReported
	fateDeleted
	fateReleased
	// fateUnknown is that of an object that is to be removed and could not be looked at.
	fateUnknown
	fateUpdated
)

// drift tells KubeFleet's reasons for an object of ours that is left as others have changed it.
func drift(reason string) bool {
	return reason == takeover.ReasonFoundDrifts || reason == takeover.ReasonFoundDriftsInDegradedMode
}

func fateOf(object engine.ObjectPreview) fate {
	switch object.Action {
	case engine.ActionTakeOver:
		return fateTakenOver
	case engine.ActionRefuse:
		switch {
		case object.Drifted() || drift(object.Reason):
			return fateDrifted
		case object.Reason == takeover.ReasonNotTakenOver || object.Reason == takeover.ReasonFailedToTakeOver:
			return fateLeftAlone
		default:
			return fateUnplaceable
		}
	case engine.ActionReport:
		return fateReported
	case engine.ActionDelete:
		return fateDeleted
	case engine.ActionRelease:
		return fateReleased
	case engine.ActionUnknown:
		return fateUnknown
	case engine.ActionUpdate:
		return fateUpdated
	default:
		return fateNone
	}
}

// finding is what happens to one object, alike on all of these clusters.
type finding struct {
	object   engine.ObjectPreview
	clusters []string
}

// findings sorts the objects by their fates and puts together what is the same on several clusters, so that one workload on sixty of them
// is read once. Conflicts that differ come first, otherwise
// the order is the one in which they are met.
func findings(preview *engine.Preview) map[fate][]*finding {
	out := map[fate][]*finding{}
	known := map[string]*finding{}
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			f := fateOf(object)
			if f == fateNone {
				continue
			}
			key := sameness(object)
			one, found := known[key]
			if !found {
				one = &finding{object: object}
				known[key] = one
				out[f] = append(out[f], one)
			}
			one.clusters = append(one.clusters, cluster.Name)
		}
	}
	for _, conflicts := range [][]*finding{out[fateLeftAlone], out[fateTakenOver]} {
		// What differs has to be judged, and comes first: there may not be room for all.
		slices.SortStableFunc(conflicts, func(a, b *finding) int { return min(1, len(b.object.Differences)) - min(1, len(a.object.Differences)) })
	}
	return out
}

// sameness is equal for two objects of which a reader would be told the same.
func sameness(object engine.ObjectPreview) string {
	object.Mark = "" // it stands for the differences
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
		text += " from envelope " + plain(strings.TrimPrefix(e.Namespace+"/"+e.Name, "/"), maxName)
	}
	return text
}

// owner is who looks after the object, empty if nobody is known to.
func (f *finding) owner() string { return plain(f.object.Owner.String(), maxName) }

// compared says how the object relates to what is to be placed, where that has been found out.
func (f *finding) compared() string {
	switch {
	case len(f.object.Differences) > 0:
		return "it differs"
	case f.object.Action == engine.ActionTakeOver || f.object.Reason == takeover.ReasonNotTakenOver:
		return "no difference found"
	default:
		return ""
	}
}

// obstacle is what stands in the way besides a difference that is shown, in KubeFleet's words without their wrapping.
func (f *finding) obstacle() string {
	message := f.object.Message
	if inner, wrapped := strings.CutPrefix(message, "Failed to apply the manifest (error: "); wrapped {
		message = strings.TrimSuffix(inner, ")")
	}
	message = strings.TrimPrefix(message, "failed to take over a pre-existing object: ")
	// Decide's message for differences, which are shown themselves.
	if f.object.Reason == takeover.ReasonNotTakenOver || strings.Contains(message, "configuration differences are found") {
		_, degraded, _ := strings.Cut(message, " in degraded mode ")
		message = strings.Trim(degraded, "()")
	}
	if owner := f.object.Owner; owner.Exclusive && strings.HasSuffix(message, owner.String()) {
		return "" // who stands in the way is told with the object
	}
	return plain(message, maxMessage)
}

// stay is why an object is given up that might have been deleted; empty for the usual reason, that it was there before the placement.
func (f *finding) stay() string {
	return plain(strings.TrimPrefix(f.object.Message, f.object.Identifier.String()+" stays on the cluster: "), maxMessage)
}

// perishes says what else goes with an object that is deleted.
func perishes(id manifest.Identifier) string {
	switch {
	case id.Group == "" && id.Kind == "Namespace":
		return "with everything in it"
	case id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition":
		return "with every object of the kind that it defines"
	default:
		return ""
	}
}
