package plan

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Selector returns the label selector, in kubectl syntax, for a placement's objects.
func Selector(placementName string) string {
	return applyset.PartOfLabel + "=" + record.ApplySetID(placementName)
}

// Marks are the objects with a placement's label on a cluster.
type Marks struct {
	Objects []manifest.Identifier
	// UnsearchedKinds are the kinds that could not be listed, as KIND.GROUP, or "every kind of GROUP/VERSION" if the API service is unavailable.
	UnsearchedKinds []string
}

// Marked finds the objects with the placement's label on a cluster whose record is lost. It lists all kinds that the cluster serves, because the placed kinds
// are unknown. It omits objects with a controller, because the controller may have copied the label from the owner. It returns the kinds that cannot be listed,
// and an error if the cluster does not respond.
func Marked(ctx context.Context, cluster *kube.Cluster, placementName string) (*Marks, error) {
	kinds, err := cluster.Kinds(ctx)
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	groups, err := cluster.UnavailableGroups(ctx)
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	out := &Marks{}
	for _, group := range groups {
		out.UnsearchedKinds = append(out.UnsearchedKinds, "every kind of "+group.String())
	}
	var mu sync.Mutex
	seen := map[types.UID]bool{}
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for _, kind := range kinds {
		if !slices.Contains(kind.Verbs, "list") || !slices.Contains(kind.Verbs, "delete") {
			continue // objects of this kind are not stored
		}
		group.Go(func() error {
			found, err := cluster.ListMetadata(ctx, kind.GVK(), "", Selector(placementName))
			if clusterset.IsUnavailable(err) || ctx.Err() != nil {
				return clusterset.Unreachable(cluster.Name(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				out.UnsearchedKinds = append(out.UnsearchedKinds, applyset.GroupKind(kind.Group, kind.Kind))
			}
			for _, object := range found {
				if seen[object.UID] || metav1.GetControllerOfNoCopy(&object) != nil {
					continue
				}
				seen[object.UID] = true // several groups may serve the same object
				out.Objects = append(out.Objects, manifest.Identifier{
					Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: object.Namespace, Name: object.Name,
				})
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out.sort()
	return out, nil
}

// sort sorts the objects and kinds, and removes the Endpoints of Services, to which Kubernetes copies the labels of the Service.
func (m *Marks) sort() {
	found := map[manifest.Key]bool{}
	for _, id := range m.Objects {
		found[id.Key()] = true
	}
	m.Objects = slices.DeleteFunc(m.Objects, func(id manifest.Identifier) bool {
		return id.Group == "" && id.Kind == "Endpoints" && found[manifest.Key{Kind: "Service", Namespace: id.Namespace, Name: id.Name}]
	})
	slices.SortFunc(m.Objects, func(a, b manifest.Identifier) int { return strings.Compare(a.String(), b.String()) })
	slices.Sort(m.UnsearchedKinds)
}

// findUnrecorded searches a cluster whose record is lost for objects that have the placement's label, are not placed on the cluster, and are not in the record,
// and adds them to Prunable. Their creator is unknown, so they are reported and remain. A refresh searches only a cluster that the status would otherwise omit.
// If the cluster does not respond, findUnrecorded sets Err.
func (c *Cluster) findUnrecorded(ctx context.Context) {
	if !c.RecordLost || c.Err != nil || c.plan.options.Purpose == Reading && (c.Decision.Selected || c.currentRecord() != nil) {
		return
	}
	marks, err := Marked(ctx, c.Client, c.plan.Placement.Name)
	if err != nil {
		c.Err = err
		return
	}
	c.UnsearchedKinds = marks.UnsearchedKinds
	known := map[manifest.Key]bool{}
	for _, i := range c.All() {
		known[i.Key()] = true
	}
	for _, id := range marks.Objects {
		if !known[id.Key()] {
			left := &Item{Unrecorded: true}
			left.Identifier, left.Action = id, takeover.ActionNone
			c.Prunable = append(c.Prunable, left)
		}
	}
}

// Unrecorded returns the objects with the placement's label that are neither placed on the cluster nor in its lost record.
func (c *Cluster) Unrecorded() []manifest.Identifier {
	var out []manifest.Identifier
	for _, i := range c.Prunable {
		if i.Unrecorded {
			out = append(out, i.Identifier)
		}
	}
	return out
}

// LeavesUnrecorded reports whether the placement may have objects on a cluster that it does not pick and that has no record of the placement. These objects
// remain, and an apply reports them.
func (c *Cluster) LeavesUnrecorded() bool {
	return !c.Decision.Selected && c.currentRecord() == nil && len(c.Unrecorded())+len(c.UnsearchedKinds) > 0
}
