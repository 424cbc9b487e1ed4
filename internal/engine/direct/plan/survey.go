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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Survey is the state of the clusters before scheduling.
type Survey struct {
	// Members has all configured members, the members of the prior status that are no longer configured, and members that a preview assumes to be new, by name.
	Members []*MemberState
	// HubUID is the UID of the hub, if there is one. HubErr is set if the hub must not be used, because it is unreachable or was replaced.
	HubUID string
	HubErr error
}

// MemberState is the content of the records on a member.
type MemberState struct {
	Name string
	// Client is nil for a member that is not configured, and for one that a preview assumes to be unreachable.
	Client *kube.Cluster
	UID    string
	// Record is the record that makes the cluster a member, or nil. Inventory is the inventory of the placement, or nil.
	Record    *record.Member
	Inventory *record.Inventory
	// RecordLost reports that the inventory does not verify, belongs to another cluster, is older than the last one read (for example, because it was restored
	// from a backup), or is missing although the placement was on the cluster. An inventory from before the placement was recreated counts as older; see
	// [Supersedes]. The creator of objects that the inventory does not list is unknown, so none of them is deleted.
	RecordLost bool
	// Former is the inventory of a placement that has left the member, with its released objects; see [record.Inventory.Former]. It has no objects if it does not
	// verify, or belongs to another resource or cluster. A survey never sets both Inventory and Former.
	Former *record.Inventory
	// MisnamedRecords are the placement's records under other names, the newest last. An apply and a removal rename them first. The newest of them is also
	// Inventory or Former, unless the record with the placement's name is as new or newer, or nameTaken is set.
	MisnamedRecords []*record.Inventory
	// nameTaken reports that the record with the placement's name belongs to another placement, and that this placement has a record under another name.
	nameTaken bool
	// ManifestsLost reports that the Secret with the placement's manifests is missing, is damaged, or does not match the inventory. It is checked only if there
	// are write-only manifests, which no state has.
	ManifestsLost bool
	// OtherPlacements are the other placements on the member. Givers are the records of the placements that this placement takes objects over from.
	OtherPlacements *OtherPlacements
	Givers          []GiverRecord
	// Overrides are the overrides recorded on the member, as changed by this run. FormerOverrides are the overrides before the changes.
	Overrides, FormerOverrides override.Overrides
	// Err is the reason why the member could not be read, or must not be written to.
	Err error
	// Joining and Leaving report that this run registers the cluster as a member, or removes it. Record and Overrides have the state after the run.
	Joining, Leaving bool

	// assumed is the assumed state of the member, or "".
	assumed engine.Assumption
	// measured has the properties and resource usage of the member, or nil if the policy does not use them.
	measured *measurement
}

type measurement struct {
	properties map[string]string
	usage      member.ResourceUsage
}

// Joined reports whether the record exists and belongs to this member and this cluster.
func (m *MemberState) Joined() bool {
	return m.Record != nil && m.Record.Name == m.Name && m.Record.ClusterUID == m.UID
}

// isUnconnected reports whether the provider no longer has a connection to the member.
func (m *MemberState) isUnconnected() bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](m.Err)
	return missing
}

// ReadRecords reads the records of all configured members.
func ReadRecords(ctx context.Context, clusters *clusterset.Set, p engine.Placement) *Survey {
	out := &Survey{}
	names := clusters.Names()
	states := make([]*MemberState, len(names))
	var wait sync.WaitGroup
	wait.Go(func() {
		_ = clusters.Each(ctx, names, func(ctx context.Context, name string) error {
			cluster, err := clusters.Member(name)
			if err == nil {
				states[slices.Index(names, name)] = readMember(ctx, cluster, p)
			}
			return err
		})
	})
	wait.Go(func() { out.HubUID, out.HubErr = hubUID(ctx, clusters.Hub, p.Prior) })
	wait.Wait()
	out.Members = states
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

func hubUID(ctx context.Context, hub *kube.Cluster, prior *placement.Status) (string, error) {
	if hub == nil {
		return "", nil
	}
	if prior == nil {
		prior = &placement.Status{}
	}
	return clusterset.CheckUID(ctx, hub, prior.HubUID)
}

// readMember reads a member's UID and, with one LIST, its records. The Secrets of overrides and of write-only manifests need further requests.
func readMember(ctx context.Context, cluster *kube.Cluster, p engine.Placement) *MemberState {
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
	out.chooseRecord(p)
	if out.Err = out.findManifests(ctx); out.Err != nil {
		return out
	}
	out.RecordLost = out.RecordLost || out.isOlderThan(p.PriorCluster(out.Name).ObservedResourceIndex)
	out.Err = out.checkName(p.Name)
	return out
}

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

// findManifests sets ManifestsLost. It checks the Secret only if the last apply had write-only manifests and no operation is in progress. It returns an error
// only if the cluster is unavailable.
func (m *MemberState) findManifests(ctx context.Context) error {
	known := m.Inventory
	if known == nil || known.WriteOnlyHash == "" || !known.HasManifests || known.Lease != nil {
		return nil
	}
	isStored, err := known.HasStoredManifests(ctx, m.Client)
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(m.Name, err)
	}
	m.ManifestsLost = err == nil && !isStored // an error means that the account cannot read the Secret
	return nil
}

func (m *MemberState) currentRecord() *record.Inventory { return cmp.Or(m.Inventory, m.Former) }

// isOlderThan reports whether the member's inventory is missing or has a lower resource index than seen, the index in the last status. Such an inventory was
// deleted, or comes from a backup. isOlderThan reports false if seen is "".
func (m *MemberState) isOlderThan(seen string) bool {
	index, err := strconv.ParseInt(seen, 10, 64)
	return err == nil && (m.currentRecord() == nil || m.currentRecord().ResourceIndex < index)
}

// checkName returns an error if the cluster is registered as another member and has an inventory of the placement. Then the connections of the provider are
// mixed up, and an apply could remove the workload of the other member.
func (m *MemberState) checkName(placementName string) error {
	if m.Inventory == nil || m.Inventory.ClusterUID != m.UID || m.Record == nil || m.Record.ClusterUID != m.UID || m.Record.Name == m.Name {
		return nil
	}
	return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q, and has objects of the placement %q. "+
		"Nothing was written. Correct the connection in the provider argument \"members\"; if the member is to have another name, "+
		"remove the fleet_member_cluster %q first, while its connection still has that name", m.Name, m.Record.Name, placementName, m.Record.Name)
}

// measure reads the properties and resource usage of the members, if the policy uses them. It sets Err of a member that cannot be measured.
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

// Newest returns the newest inventory, and its member, or nil. It omits inventories that do not verify. An inventory with a newer identity is newer. With the
// same identity, the generation decides, then the resource index. If these are the same as well, Newest prefers the inventory that matches the digest: if an
// apply did not reach all clusters, some inventories have an older spec.
func (s *Survey) Newest(d placement.Digest) (*record.Inventory, *MemberState) {
	var found *MemberState
	for _, v := range s.Members {
		if v.Inventory != nil && !v.Inventory.IsUnproven() && (found == nil || isNewer(v.Inventory, found.Inventory, d)) {
			found = v
		}
	}
	if found == nil {
		return nil, nil
	}
	return found.Inventory, found
}

func isNewer(a, b *record.Inventory, d placement.Digest) bool {
	switch {
	case engine.IsOlderID(a.ID, b.ID), engine.IsOlderID(b.ID, a.ID):
		return engine.IsOlderID(b.ID, a.ID)
	case a.Generation != b.Generation:
		return a.Generation > b.Generation
	case a.ResourceIndex != b.ResourceIndex:
		return a.ResourceIndex > b.ResourceIndex
	default:
		return a.Matches(d) && !b.Matches(d)
	}
}
