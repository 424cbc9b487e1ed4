package plan

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
)

// OtherPlacements are the other placements that have an inventory on a member. The type uses only the name and the ApplySet annotations of an inventory, so
// that an inventory with damaged data affects only its own placement.
type OtherPlacements struct {
	mu    sync.Mutex
	bySet map[string]otherPlacement // by the ID of the ApplySet
}

type otherPlacement struct {
	name       string
	namespaces []string
	kinds      []string // as KIND.GROUP
}

func (n *OtherPlacements) replace(records []*unstructured.Unstructured, placementName string) {
	found := map[string]otherPlacement{}
	for _, u := range records {
		name, is := strings.CutPrefix(u.GetName(), record.InventoryPrefix)
		if !is || name == placementName || u.GetLabels()[record.KindLabel] != record.PlacementKind {
			continue
		}
		annotations := u.GetAnnotations()
		found[record.ApplySetID(name)] = otherPlacement{
			name:       name,
			namespaces: strings.Split(annotations[applyset.NamespacesAnnotation], ","),
			kinds:      strings.Split(annotations[applyset.KindsAnnotation], ","),
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bySet = found
}

func (n *OtherPlacements) remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.bySet, record.ApplySetID(name))
}

// MeetOwner reads the other placements' records again if a changed object has the label of another ApplySet: a new placement may have taken the object over.
func (c *Cluster) MeetOwner(ctx context.Context, live *unstructured.Unstructured) error {
	if set := applyset.PartOf(live); set == "" || set == record.ApplySetID(c.plan.Placement.Name) {
		return nil
	}
	return c.readOthers(ctx)
}

func (c *Cluster) readOthers(ctx context.Context) error {
	records, err := c.Client.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel)
	if err == nil {
		c.OtherPlacements.replace(records, c.plan.Placement.Name)
	}
	return err
}

// owner returns the name of the other placement whose ApplySet has the ID, or "".
func (n *OtherPlacements) owner(setID string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bySet[setID].name
}

// inside returns the names of the placements with objects in a container, sorted.
func (n *OtherPlacements) inside(container source.Container) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := applyset.GroupKind(container.Kind.Group, container.Kind.Kind)
	var names []string
	for _, other := range n.bySet {
		if container.Namespace != "" && slices.Contains(other.namespaces, container.Namespace) || kind != "" && slices.Contains(other.kinds, kind) {
			names = append(names, other.name)
		}
	}
	slices.Sort(names)
	return names
}
