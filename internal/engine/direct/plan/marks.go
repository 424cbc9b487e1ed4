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

// Selector is the label that a placement's objects carry, as kubectl takes it.
func Selector(placementName string) string {
	return applyset.PartOfLabel + "=" + record.ApplySetID(placementName)
}

// Marks are what carries a placement's label on a cluster.
type Marks struct {
	Objects []manifest.Identifier
	// Unlooked are the kinds that could not be looked through, as KIND.GROUP.
	Unlooked []string
}

// kindsAtOnce is how many kinds are looked through at once.
const kindsAtOnce = 8

// Marked finds what carries the placement's label on a cluster whose record of it is lost, among all kinds that the cluster serves: nothing tells
// any more which were placed. What a controller has made does not count; it may have taken the label from the object that it was made for. A
// kind that cannot be looked through is told; a cluster that does not answer is an error.
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
		out.Unlooked = append(out.Unlooked, "every kind of "+group.String())
	}
	var mu sync.Mutex
	seen := map[types.UID]bool{}
	var group errgroup.Group
	group.SetLimit(kindsAtOnce)
	for _, kind := range kinds {
		if !slices.Contains(kind.Verbs, "list") || !slices.Contains(kind.Verbs, "delete") {
			continue // nothing of it is kept
		}
		group.Go(func() error {
			found, err := cluster.ListMetadata(ctx, kind.GVK(), "", Selector(placementName))
			if clusterset.IsUnavailable(err) || ctx.Err() != nil {
				return clusterset.Unreachable(cluster.Name(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				out.Unlooked = append(out.Unlooked, applyset.GroupKind(kind.Group, kind.Kind))
			}
			for _, object := range found {
				if seen[object.UID] || metav1.GetControllerOfNoCopy(&object) != nil {
					continue
				}
				seen[object.UID] = true // several groups may serve it
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

// sort puts the objects in order, without the Endpoints of Services, which have the labels of these.
func (m *Marks) sort() {
	found := map[manifest.Key]bool{}
	for _, id := range m.Objects {
		found[id.Key()] = true
	}
	m.Objects = slices.DeleteFunc(m.Objects, func(id manifest.Identifier) bool {
		return id.Group == "" && id.Kind == "Endpoints" && found[manifest.Key{Kind: "Service", Namespace: id.Namespace, Name: id.Name}]
	})
	slices.SortFunc(m.Objects, func(a, b manifest.Identifier) int { return strings.Compare(a.String(), b.String()) })
	slices.Sort(m.Unlooked)
}

// findUnrecorded adds to what no longer belongs on the cluster what carries the placement's label and is not in its record, where that is lost:
// nobody knows who made it, so that it is named, and left. A refresh has to know of a cluster that the placement would be forgotten on. A cluster
// that does not answer is the cluster's Err.
func (c *Cluster) findUnrecorded(ctx context.Context) {
	if !c.RecordLost || c.Err != nil || c.plan.options.Purpose == Reading && (c.Decision.Selected || c.known() != nil) {
		return
	}
	marks, err := Marked(ctx, c.Client, c.plan.Placement.Name)
	if err != nil {
		c.Err = err
		return
	}
	c.Unlooked = marks.Unlooked
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

// Unrecorded are the objects that carry the placement's label and are neither placed on the cluster nor in its record, which is lost.
func (c *Cluster) Unrecorded() []manifest.Identifier {
	var out []manifest.Identifier
	for _, i := range c.Prunable {
		if i.Unrecorded {
			out = append(out, i.Identifier)
		}
	}
	return out
}

// LeavesUnrecorded tells whether the placement is given up on a cluster that it is not meant for, and has no record on any more, and may still
// have objects on: nothing can be done there, but that they are left has to be said.
func (c *Cluster) LeavesUnrecorded() bool {
	return !c.Decision.Selected && c.known() == nil && len(c.Unrecorded())+len(c.Unlooked) > 0
}
