package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Survey is what the clusters say before anything is decided.
type Survey struct {
	// Members are those of all configured members, and of every member of the last time that is no longer configured, by name.
	Members []*MemberState
	// HubUID is that of the hub, if there is one; HubErr why it must not be used.
	HubUID string
	HubErr error
}

// MemberState is what a member's own records say.
type MemberState struct {
	Name string
	// Client is nil for a member that is no longer configured.
	Client *kube.Cluster
	UID    string
	// Record makes the cluster a member, nil if there is none. Inventory is the placement's own, nil if there is none.
	Record    *record.Member
	Inventory *record.Inventory
	// RecordLost says that the inventory is gone, though the placement was on the cluster, or that it is older than it was, or another cluster's,
	// because it comes from a backup: nobody knows any more who has made the objects here that it does not have, and none of those is deleted.
	// An inventory from before the placement was created again is older; see [Supersedes].
	RecordLost bool
	// Former is the inventory of a placement that is not on the member any more, with what it has released there; see [record.Inventory.Former].
	// That of another resource, or of another cluster, has no objects. Inventory is nil then.
	Former *record.Inventory
	// MisnamedRecords are the placement's records under other names, the newest last. An apply and a removal rename them first. If none has the placement's
	// name, or the newest is newer than that one, the newest is also Inventory, or Former.
	MisnamedRecords []*record.Inventory
	// nameTaken reports that the record under the placement's name is another placement's, though this one has objects on the member.
	nameTaken bool
	// ManifestsLost says that the Secret with the placement's manifests is gone from beside its inventory, or damaged. It is looked for where no
	// state has them all: write-only ones are known from it alone.
	ManifestsLost bool
	// WasWriteOnly reports whether an object came from write-only manifests the last time; nil if there were none.
	WasWriteOnly func(manifest.Identifier) bool
	// OtherPlacements are the other placements on the member, Givers the records of those that the placement takes objects over from.
	OtherPlacements *OtherPlacements
	Givers          []GiverRecord
	// Overrides are those that the member has a record of, FormerOverrides the same before the run changes them.
	Overrides, FormerOverrides override.Overrides
	// Err is why the member could not be looked at, or must not be written to.
	Err error
	// Joining and Leaving say that the same run makes the cluster a member, or ends that. Record and Overrides are as they will be then.
	Joining, Leaving bool

	// measured is what the member is like, nil unless the policy asks.
	measured *measurement
}

type measurement struct {
	properties map[string]string
	usage      member.ResourceUsage
}

// Joined tells whether the record is there and belongs to this member and this cluster.
func (m *MemberState) Joined() bool {
	return m.Record != nil && m.Record.Name == m.Name && m.Record.ClusterUID == m.UID
}

// unconnected tells whether the provider has no connection to the member any more.
func (m *MemberState) unconnected() bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](m.Err)
	return missing
}

// Look reads the records of all configured members.
func Look(ctx context.Context, clusters *clusterset.Set, p engine.Placement) *Survey {
	out := &Survey{}
	names := clusters.Names()
	looked := make([]*MemberState, len(names))
	var wait sync.WaitGroup
	wait.Go(func() {
		_ = clusters.Each(ctx, names, func(ctx context.Context, name string) error {
			cluster, err := clusters.Member(name)
			if err == nil {
				looked[slices.Index(names, name)] = memberState(ctx, cluster, p)
			}
			return err
		})
	})
	wait.Go(func() { out.HubUID, out.HubErr = hubUID(ctx, clusters.Hub, p.Prior) })
	wait.Wait()
	out.Members = looked
	if p.Prior != nil {
		for name := range p.Prior.Clusters {
			if _, err := clusters.Member(name); err != nil {
				out.Members = append(out.Members, &MemberState{Name: name, OtherPlacements: &OtherPlacements{}, Err: err})
			}
		}
	}
	slices.SortFunc(out.Members, func(a, b *MemberState) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// hubUID returns the UID of the hub, or an error if it is not the one that the placement was made from before.
func hubUID(ctx context.Context, hub *kube.Cluster, prior *placement.Status) (string, error) {
	if hub == nil {
		return "", nil
	}
	if prior == nil {
		prior = &placement.Status{}
	}
	return clusterset.CheckUID(ctx, hub, prior.HubUID)
}

// memberState reads a member's UID and, with one LIST, all records on it. Only the values that overrides have for Secrets are elsewhere.
func memberState(ctx context.Context, cluster *kube.Cluster, p engine.Placement) *MemberState {
	out := &MemberState{Name: cluster.Name(), Client: cluster, OtherPlacements: &OtherPlacements{}}
	if out.UID, out.Err = clusterset.CheckUID(ctx, cluster, p.PriorCluster(cluster.Name()).ClusterUID); out.Err != nil {
		return out
	}
	records, err := cluster.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel)
	if err != nil {
		out.Err = clusterset.Unreachable(out.Name, err)
		return out
	}
	out.OtherPlacements.replace(records, p.Name)
	for _, u := range records {
		if err := out.add(ctx, u, p); err != nil {
			out.Err = fmt.Errorf("cluster %q: %w", out.Name, err)
			return out
		}
	}
	out.countMisnamed(p)
	if out.Err = out.findManifests(ctx); out.Err != nil {
		return out
	}
	out.RecordLost = out.RecordLost || out.olderThan(p.PriorCluster(out.Name).ObservedResourceIndex)
	out.Err = out.mixedUp(p.Name)
	return out
}

// add takes a record of the member into account.
func (m *MemberState) add(ctx context.Context, u *unstructured.Unstructured, p engine.Placement) (err error) {
	switch kind := u.GetLabels()[record.KindLabel]; {
	case kind == record.MemberKind && u.GetName() == record.MemberName:
		m.Record, err = record.DecodeMember(u)
	case kind == record.PlacementKind && u.GetName() == record.InventoryName(p.Name):
		var known *record.Inventory
		if known, err = record.DecodeInventory(u); err == nil {
			m.addInventory(known, p)
		}
	case kind == record.PlacementKind:
		m.addGiver(u, p)
		err = m.addMisnamed(u, p)
	case kind == record.OverrideKind:
		var known *record.Override
		if known, err = record.WholeOverride(ctx, m.Client, u); err == nil {
			known.AddTo(&m.Overrides)
		}
	}
	return err
}

func (m *MemberState) addInventory(known *record.Inventory, p engine.Placement) {
	elsewhere := known.ClusterUID != m.UID
	known.Signed = record.Verifies(known.Live, p.Key, m.UID)
	switch {
	case !known.Signed && !trusts(p, m.Name):
		m.addUnproven(known, p.PriorCluster(m.Name).HadObjects())
	case known.Former() && (elsewhere || p.ID != "" && known.ID != "" && known.ID != p.ID):
		m.Former = &record.Inventory{Head: known.Head, Spec: known.Spec, Live: known.Live}
	case known.Former():
		m.Former = known
	case elsewhere, Supersedes(p, m.Name, known):
		m.Inventory, m.RecordLost = known.AllAdopted(), true
	default:
		m.Inventory = known
	}
}

// findManifests looks for the Secret with the manifests. An account that may not see it cannot tell.
func (m *MemberState) findManifests(ctx context.Context) error {
	known := m.Inventory
	if known == nil || known.WriteOnlyHash == "" || !known.HasManifests || known.UnderWay != nil {
		return nil
	}
	secret, err := record.Find(ctx, m.Client, record.SecretKind, record.InventoryName(known.Name))
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(m.Name, err)
	}
	if err != nil {
		return nil //nolint:nilerr // an account that may not see it
	}
	if m.ManifestsLost = secret == nil || !record.IsInventory(secret); m.ManifestsLost {
		return nil
	}
	kept, err := record.DecodeManifests(secret)
	m.ManifestsLost, m.WasWriteOnly = err != nil, engine.IsFrom(kept.WriteOnly)
	return nil
}

// known is what the member's inventory says, or that of the time before the placement was given up there; nil for neither.
func (m *MemberState) known() *record.Inventory { return cmp.Or(m.Inventory, m.Former) }

// olderThan tells whether the member's inventory does not have what it had when it was seen last: it was deleted, or comes from a backup.
func (m *MemberState) olderThan(seen string) bool {
	index, err := strconv.ParseInt(seen, 10, 64)
	return err == nil && (m.known() == nil || m.known().ResourceIndex < index)
}

// mixedUp is an error if the inventory is that of another member: the connections are mixed up, and following it would remove the workload
// of that member.
func (m *MemberState) mixedUp(placementName string) error {
	if m.Inventory == nil || m.Inventory.ClusterUID != m.UID || m.Record == nil || m.Record.ClusterUID != m.UID || m.Record.Name == m.Name {
		return nil
	}
	return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q, and has objects of the placement %q. "+
		"Nothing was written. Correct the connection in the provider argument \"members\"; if the member is to have another name, "+
		"remove the fleet_member_cluster %q first, while its connection still has that name", m.Name, m.Record.Name, placementName, m.Record.Name)
}

// measure reads what a policy asks for beyond labels and taints.
func (s *Survey) measure(ctx context.Context, clusters *clusterset.Set, policy *placement.Policy) {
	if !policy.UsesProperties() {
		return
	}
	byName := map[string]*MemberState{}
	var names []string
	for _, v := range s.Members {
		if v.Err == nil && v.Joined() && v.measured == nil {
			byName[v.Name] = v
			names = append(names, v.Name)
		}
	}
	_ = clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		v := byName[name]
		v.measured = &measurement{}
		v.measured.properties, v.measured.usage, v.Err = clusterset.Measure(ctx, v.Client)
		return v.Err
	})
}

// Newest returns the inventory of the last apply, and where it is; nil if there is none. One that does not verify does not count. Of equal ones that counts which says what the
// placement says: of an apply that did not reach all clusters, the others may still have an older word.
func (s *Survey) Newest(d placement.Digest) (*record.Inventory, *MemberState) {
	var found *MemberState
	for _, v := range s.Members {
		if v.Inventory != nil && !v.Inventory.IsUnproven() && (found == nil || newer(v.Inventory, found.Inventory, d)) {
			found = v
		}
	}
	if found == nil {
		return nil, nil
	}
	return found.Inventory, found
}

func newer(a, b *record.Inventory, d placement.Digest) bool {
	switch {
	case engine.IsOlderID(a.ID, b.ID), engine.IsOlderID(b.ID, a.ID):
		return engine.IsOlderID(b.ID, a.ID)
	case a.Generation != b.Generation:
		return a.Generation > b.Generation
	case a.ResourceIndex != b.ResourceIndex:
		return a.ResourceIndex > b.ResourceIndex
	default:
		return a.Says(d) && !b.Says(d)
	}
}
