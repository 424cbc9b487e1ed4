package kubefleet

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
)

// sameAsBefore refuses a placement that is not the one that was planned: it was deleted and made anew since, and may be somebody else's. A new one
// must not be there at all.
func sameAsBefore(p engine.Placement, live *unstructured.Unstructured, create bool) error {
	switch {
	case live == nil:
		return nil
	case create:
		return hub.Exists(hub.KindsOf(p.Reference).Placement, p.Reference)
	case p.Prior == nil || p.Prior.UID == "" || p.Prior.UID == string(live.GetUID()):
		return nil
	}
	return fmt.Errorf("the %s %q on the hub is not the one that this state knows: that had the UID %s, and this one has %s. Somebody has deleted it and "+
		"made it anew. If it is theirs, take the resource out of this state (terraform state rm) and choose another name; otherwise plan again, and go on with "+
		"it", live.GetKind(), p.Reference, p.Prior.UID, live.GetUID())
}
