package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// view is what a member's own records say.
type view struct {
	name    string
	cluster *kube.Cluster
	uid     string
	record  *record
	// inventories are keyed by placement.
	inventories map[string]*inventory
	// joining members have no record yet and are taken for ones that will.
	joining bool
	// err is why the member could not be looked at, or must not be written to.
	err error
}

// joined tells whether the record is there and belongs to this member and this cluster.
func (v *view) joined() bool {
	return v.record != nil && v.record.Name == v.name && v.record.ClusterUID == v.uid
}

// placementOf names the live placement whose ApplySet has the ID, or "".
func (v *view) placementOf(setID string) string {
	for name := range v.inventories {
		if applySetID(name) == setID {
			return name
		}
	}
	return ""
}

// look reads the records of all configured members, and has an entry with an error for every member of the last time that is no longer
// configured. The views are sorted by name.
func (e *Engine) look(ctx context.Context, prior *placement.Status) []*view {
	names := e.memberNames()
	views := make([]*view, len(names))
	_ = e.onEach(ctx, names, func(ctx context.Context, name string) error {
		i := slices.Index(names, name)
		views[i] = lookAt(ctx, e.members[name], priorUID(prior, name))
		return nil
	})
	if prior != nil {
		for name := range prior.Clusters {
			if _, found := e.members[name]; !found {
				views = append(views, &view{name: name, err: &engine.NotConfiguredError{Member: name, Configured: names}})
			}
		}
	}
	slices.SortFunc(views, func(a, b *view) int { return compareStrings(a.name, b.name) })
	return views
}

func priorUID(prior *placement.Status, name string) string {
	if prior == nil {
		return ""
	}
	return prior.Clusters[name].ClusterUID
}

// lookAt reads a member's UID and, with one LIST, all records on it.
func lookAt(ctx context.Context, cluster *kube.Cluster, knownUID string) *view {
	out := &view{name: cluster.Name(), cluster: cluster, inventories: map[string]*inventory{}}
	if out.uid, out.err = sameCluster(ctx, cluster, knownUID); out.err != nil {
		out.err = reached(out.name, out.err)
		return out
	}
	records, err := cluster.List(ctx, configMapKind, Namespace, recordKindLabel)
	if err != nil {
		out.err = reached(out.name, err)
		return out
	}
	for _, u := range records {
		switch u.GetLabels()[recordKindLabel] {
		case memberRecordKind:
			out.record, err = decodeRecord(u)
		case placementRecordKind:
			var found *inventory
			if found, err = decodeInventory(u); err == nil {
				out.inventories[found.Name] = found
			}
		}
		if err != nil {
			out.err = fmt.Errorf("cluster %q: %w", out.name, err)
			return out
		}
	}
	return out
}

// candidate is the member as the scheduler sees it.
func (v *view) candidate() schedule.Cluster {
	out := schedule.Cluster{Name: v.name}
	if v.record != nil {
		out.Labels, out.Taints = v.record.Labels, v.record.Taints
	}
	switch {
	case v.err != nil:
		out.Ineligible = "cluster cannot be reached: " + v.err.Error()
	case !v.joined():
		out.Ineligible = "cluster is not connected to the fleet: it has not been registered with a fleet_member_cluster"
	}
	return out
}

// offline tells whether the member could not be looked at because it, or the way to it, is at fault: it does not answer, does not accept
// the credentials, or is not configured. Other members are not held up by that. What remains are errors that the user must mend first,
// such as another cluster behind a known name.
func (v *view) offline() bool {
	var failed *kube.Error
	var missing *engine.NotConfiguredError
	return errors.As(v.err, &failed) || errors.As(v.err, &missing)
}
