package direct

import (
	"context"
	"fmt"
	"reflect"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckMember tells whether there is a connection to the member.
func (e *Engine) CheckMember(name string) error {
	_, err := e.member(name)
	return err
}

// ApplyMember writes the member's record onto the member itself.
func (e *Engine) ApplyMember(ctx context.Context, spec member.Spec, priorUID string, create bool) (member.Status, error) {
	cluster, err := e.member(spec.Name)
	if err != nil {
		return member.Status{}, err
	}
	uid, err := sameCluster(ctx, cluster, priorUID)
	if err != nil {
		return member.Status{}, reached(spec.Name, err)
	}
	want := record{Spec: spec, ClusterUID: uid}
	live, err := cluster.Get(ctx, configMapKind, Namespace, recordName)
	switch {
	case kube.IsNotFound(err):
		live = nil
	case err != nil:
		return member.Status{}, reached(spec.Name, err)
	default:
		known, err := decodeRecord(live)
		if err != nil {
			return member.Status{}, err
		}
		if err := mayRegister(want, *known, create); err != nil {
			return member.Status{}, err
		}
	}
	if err := ensureNamespace(ctx, cluster); err != nil {
		return member.Status{}, reached(spec.Name, err)
	}
	object, err := want.configMap()
	if err != nil {
		return member.Status{}, err
	}
	if _, err := put(ctx, cluster, object, live); err != nil {
		return member.Status{}, reached(spec.Name, err)
	}
	return memberStatus(ctx, cluster, uid)
}

// mayRegister tells whether a record may replace the one that a cluster has. A record that came from another cluster (in a backup, say)
// does not count. An equal one is what an apply leaves that was killed before it could save its state.
func mayRegister(want, known record, create bool) error {
	switch {
	case known.ClusterUID != want.ClusterUID:
		return nil
	case known.Name != want.Name:
		return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q. "+
			"Correct the connection in the provider argument \"members\", or remove the other registration first", want.Name, known.Name)
	case create && !reflect.DeepEqual(known.Spec, want.Spec):
		return &engine.ExistsError{What: fmt.Sprintf("A registration of member %q", want.Name), Where: want.Name, Import: want.Name}
	default:
		return nil
	}
}

// ReadMember reads the record and the live status.
func (e *Engine) ReadMember(ctx context.Context, name string) (member.Spec, member.Status, error) {
	cluster, err := e.member(name)
	if err != nil {
		return member.Spec{}, member.Status{}, err
	}
	live, err := cluster.Get(ctx, configMapKind, Namespace, recordName)
	if kube.IsNotFound(err) {
		return member.Spec{}, member.Status{}, engine.ErrNotFound
	}
	if err != nil {
		return member.Spec{}, member.Status{}, reached(name, err)
	}
	known, err := decodeRecord(live)
	if err != nil {
		return member.Spec{}, member.Status{}, err
	}
	uid, err := cluster.UID(ctx)
	if err != nil {
		return member.Spec{}, member.Status{}, reached(name, err)
	}
	if known.Name != name || known.ClusterUID != string(uid) {
		return member.Spec{}, member.Status{}, engine.ErrNotFound
	}
	status, err := memberStatus(ctx, cluster, string(uid))
	return known.Spec, status, err
}

// DeleteMember removes the record. Objects that were placed on the cluster stay, as they do when a cluster leaves a KubeFleet fleet.
func (e *Engine) DeleteMember(ctx context.Context, name, priorUID string) error {
	cluster, err := e.member(name)
	if err != nil {
		return err
	}
	if _, err := sameCluster(ctx, cluster, priorUID); err != nil {
		return reached(name, err)
	}
	live, err := cluster.Get(ctx, configMapKind, Namespace, recordName)
	if kube.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return reached(name, err)
	}
	if known, err := decodeRecord(live); err == nil && known.Name != name {
		return nil
	}
	return reached(name, remove(ctx, cluster, live))
}

// sameCluster returns the UID of the cluster, or an error if it is not the one that was known before.
func sameCluster(ctx context.Context, cluster *kube.Cluster, priorUID string) (string, error) {
	uid, err := cluster.UID(ctx)
	if err != nil {
		return "", err
	}
	if priorUID != "" && priorUID != string(uid) {
		return "", &engine.ClusterReplacedError{Cluster: cluster.Name(), Was: priorUID, Is: string(uid)}
	}
	return string(uid), nil
}
