package objectowner

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	texts "github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// describe returns a sentence about the owner of an object. found is nil if the object does not exist.
func describe(request owners.Request, found *owners.Found) string {
	subject := texts.Name(request.Object.String()) + fmt.Sprintf(" on %q", texts.Name(request.Cluster))
	if found == nil {
		return subject + " does not exist."
	}
	if len(found.Controllers) > 0 {
		var names []string
		for _, controller := range found.Controllers {
			names = append(names, texts.Name(controller.String()))
		}
		subject += " was created by " + strings.Join(names, ", created by ") + ", which"
	}
	return subject + " " + predicate(found) + "."
}

func predicate(found *owners.Found) string {
	const unowned = "no placement, hub or tool is known to own"
	owner := difference.FlattenCurrentOwner(found.Owner)
	switch found.Owner.Kind {
	case takeover.OwnerPlacement:
		text := "belongs to the " + owner.Text + " of the engine direct"
		if found.Placement != nil && found.Placement.TookOver {
			text += ", which took it over: if the placement is destroyed, the object remains on the cluster"
		}
		return text
	case takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral:
		if found.Placement != nil && found.Placement.Name != "" {
			return fmt.Sprintf("belongs to the placement %q of a %s hub", texts.Name(found.Placement.Name), hubs[found.Owner.Kind])
		}
		return "belongs to a placement of a " + hubs[found.Owner.Kind] + " hub"
	case takeover.OwnerUnrecorded:
		return "is " + owner.Text
	case takeover.OwnerApplySet, takeover.OwnerHelm, takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerTerraform, takeover.OwnerTool:
		return "belongs to " + owner.Text
	case takeover.OwnerReleased:
		return "was left on the cluster by a placement of this provider; " + unowned + " it"
	case takeover.OwnerKubectl:
		return "was written with kubectl; " + unowned + " it"
	case takeover.OwnerKubernetes:
		return "belongs to Kubernetes itself"
	case takeover.OwnerController:
		if len(found.Controllers) > 0 && found.Unfollowed == nil {
			return unowned
		}
		return "belongs to " + owner.Name + ", whose owner is unknown"
	case takeover.OwnerNone:
	}
	return "has no owner: " + unowned + " it"
}

var hubs = map[takeover.OwnerKind]string{takeover.OwnerKubeFleet: "KubeFleet", takeover.OwnerKubeAdmiral: "KubeAdmiral"}
