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
	case p.Prior == nil:
		return nil
	}
	return notReplaced(live, p.Prior.UID)
}

// notReplaced refuses an object that has another UID than the one that was read or written last, if that is known.
func notReplaced(live *unstructured.Unstructured, uid string) error {
	if live == nil || uid == "" || uid == string(live.GetUID()) {
		return nil
	}
	return fmt.Errorf("the %s %q on the hub is not the one that this state knows: that had the UID %s, and this one has %s. Somebody has deleted it and "+
		"made it anew. If it is theirs, take the resource out of this state (terraform state rm) and choose another name; otherwise plan again, and go on with "+
		"it", live.GetKind(), engine.Reference{Namespace: live.GetNamespace(), Name: live.GetName()}, uid, live.GetUID())
}
