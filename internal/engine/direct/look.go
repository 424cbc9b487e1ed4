package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
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
	// inventory is the placement's own as it is now, nil if there is none.
	inventory *inventory
	// neighbours are the other placements on the member.
	neighbours *neighbours
	// joining members have no record yet and are taken for ones that will.
	joining bool
	// status is what the member is like, nil unless the policy asks.
	status *member.Status
	// overrides are those that the member has a record of.
	overrides override.Overrides
	// err is why the member could not be looked at, or must not be written to.
	err error
}

// joined tells whether the record is there and belongs to this member and this cluster.
func (v *view) joined() bool {
	return v.record != nil && v.record.Name == v.name && v.record.ClusterUID == v.uid
}

// look reads the records of all configured members, and has an entry with an error for every member of the last time that is no longer
// configured. The views are sorted by name.
func (e *Engine) look(ctx context.Context, request engine.PlacementRequest) []*view {
	names := e.memberNames()
	looked := make([]*view, len(names))
	_ = e.onEach(ctx, names, func(ctx context.Context, name string) error {
		v := lookAt(ctx, e.members[name], priorUID(request.Prior, name), request.Name)
		if v.err == nil && v.joined() && usesProperties(request.Spec.Policy) {
			v.measure(ctx)
		}
		looked[slices.Index(names, name)] = v
		return nil
	})
	views := slices.Clone(looked)
	if request.Prior != nil {
		for name := range request.Prior.Clusters {
			if _, found := e.members[name]; !found {
				missing := &engine.NotConfiguredError{Member: name, Configured: names}
				views = append(views, &view{name: name, neighbours: &neighbours{}, err: missing})
			}
		}
	}
	slices.SortFunc(views, func(a, b *view) int { return strings.Compare(a.name, b.name) })
	return views
}

func priorUID(prior *placement.Status, name string) string {
	if prior == nil {
		return ""
	}
	return prior.Clusters[name].ClusterUID
}

// lookAt reads a member's UID and, with one LIST, all records on it.
func lookAt(ctx context.Context, cluster *kube.Cluster, knownUID, placementName string) *view {
	out := &view{name: cluster.Name(), cluster: cluster, neighbours: &neighbours{}}
	if out.uid, out.err = sameCluster(ctx, cluster, knownUID); out.err != nil {
		out.err = reached(out.name, out.err)
		return out
	}
	records, err := cluster.List(ctx, configMapKind, Namespace, recordKindLabel)
	if err != nil {
		out.err = reached(out.name, err)
		return out
	}
	out.neighbours.replace(records, placementName)
	for _, u := range records {
		switch kind := u.GetLabels()[recordKindLabel]; {
		case kind == memberRecordKind && u.GetName() == recordName:
			out.record, err = decodeRecord(u)
		case kind == placementRecordKind && u.GetName() == inventoryName(placementName):
			out.inventory, err = decodeInventory(u)
		case kind == overrideRecordKind:
			err = out.addOverride(u)
		}
		if err != nil {
			out.err = fmt.Errorf("cluster %q: %w", out.name, err)
			return out
		}
	}
	out.err = out.misplaced(placementName)
	return out
}

// misplaced judges an inventory that may not be this member's own. One that came from another cluster, in a backup, says nothing of who
// made the objects here: none of them is deleted. One of another member means that the connections are mixed up, and following it would
// remove the workload of that member.
func (v *view) misplaced(placementName string) error {
	switch {
	case v.inventory == nil:
		return nil
	case v.inventory.ClusterUID != v.uid:
		for i := range v.inventory.Objects {
			v.inventory.Objects[i].Adopted = true
		}
		return nil
	case v.record != nil && v.record.ClusterUID == v.uid && v.record.Name != v.name:
		return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q, and has objects of the placement %q. "+
			"Nothing was written. Correct the connection in the provider argument \"members\"", v.name, v.record.Name, placementName)
	default:
		return nil
	}
}

// candidate is the member as the scheduler sees it.
func (v *view) candidate() schedule.Cluster {
	out := schedule.Cluster{Name: v.name}
	if v.record != nil {
		out.Labels, out.Taints = v.record.Labels, v.record.Taints
	}
	if v.status != nil {
		out.Properties, out.Usage = v.status.Properties, schedule.ResourceUsage(v.status.Usage)
	}
	switch {
	case v.err != nil:
		out.Ineligible = "cluster cannot be reached: " + v.err.Error()
	case !v.joined():
		out.Ineligible = "cluster is not connected to the fleet: it has not been registered with a fleet_member_cluster"
	}
	return out
}

// measure reads the properties that the policy asks for.
func (v *view) measure(ctx context.Context) {
	status, err := memberStatus(ctx, v.cluster, v.uid)
	if err != nil {
		v.err = err
		return
	}
	v.status = &status
}

// usesProperties tells whether a policy looks at more than labels and taints.
func usesProperties(policy *placement.Policy) bool {
	if policy == nil || policy.Affinity == nil || policy.Affinity.ClusterAffinity == nil {
		return false
	}
	affinity := policy.Affinity.ClusterAffinity
	if affinity.Required != nil && slices.ContainsFunc(affinity.Required.ClusterSelectorTerms, termUsesProperties) {
		return true
	}
	return slices.ContainsFunc(affinity.Preferred, func(p placement.PreferredClusterSelector) bool { return termUsesProperties(p.Preference) })
}

func termUsesProperties(term placement.ClusterSelectorTerm) bool {
	return term.PropertySelector != nil || term.PropertySorter != nil
}

// offline tells whether the member could not be looked at because it, or the way to it, is at fault: it does not answer, does not accept
// the credentials, or is not configured. Other members are not held up by that. What remains are errors that the user must mend first,
// such as another cluster behind a known name.
func (v *view) offline() bool {
	var failed *kube.Error
	var missing *engine.NotConfiguredError
	return errors.As(v.err, &failed) || errors.As(v.err, &missing)
}

// silent tells whether an error means that nothing can be had from the cluster now, rather than that one request was not acceptable.
func silent(err error) bool { return kube.IsUnreachable(err) || kube.IsUnauthorized(err) }
