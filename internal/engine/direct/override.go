package direct

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	overrideRecordKind = "override"
	overrideKey        = "override.json"
)

// overrideRecord is an override as every member keeps it, so that a placement on a member is decided by what that member says.
type overrideRecord struct {
	Namespace  string                `json:"namespace,omitempty"`
	Name       string                `json:"name"`
	Cluster    *override.ClusterSpec `json:"clusterResourceOverride,omitempty"`
	Namespaced *override.Spec        `json:"resourceOverride,omitempty"`
}

// overrideRecordName is unique: a namespace has no dots.
func overrideRecordName(reference override.Reference) string {
	if reference.Namespace == "" {
		return "cluster-resource-override-" + reference.Name
	}
	return "resource-override-" + reference.Namespace + "." + reference.Name
}

func decodeOverride(u *unstructured.Unstructured) (*overrideRecord, error) {
	var out overrideRecord
	if err := decodeKey(u, overrideKey, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ApplyOverride records the override on every configured member.
func (e *Engine) ApplyOverride(ctx context.Context, o engine.Override, create bool) ([]string, error) {
	record := overrideRecord{Namespace: o.Namespace, Name: o.Name, Cluster: o.Cluster, Namespaced: o.Namespaced}
	want, err := newConfigMap(overrideRecordName(o.Reference), overrideRecordKind, map[string]any{overrideKey: record})
	if err != nil {
		return nil, err
	}
	return e.onReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		if err := mayOverride(ctx, cluster, o); err != nil {
			return err
		}
		live, err := cluster.Get(ctx, configMapKind, Namespace, want.GetName())
		switch {
		case kube.IsNotFound(err):
			if err := ensureNamespace(ctx, cluster); err != nil {
				return err
			}
			live = nil
		case err != nil:
			return err
		case create && !sameRecord(want, live):
			return &engine.ExistsError{What: "The " + o.Reference.String(), Where: cluster.Name(), Import: importID(o.Reference)}
		}
		_, err = put(ctx, cluster, want, live)
		return err
	})
}

// mayOverride refuses what KubeFleet's webhooks refuse: two overrides that select the same object, and more overrides than there may be.
func mayOverride(ctx context.Context, cluster *kube.Cluster, o engine.Override) error {
	records, err := cluster.List(ctx, configMapKind, Namespace, recordKindLabel+"="+overrideRecordKind)
	if err != nil {
		return err
	}
	others := &view{}
	for _, u := range records {
		if err := others.addOverride(u); err != nil {
			return err
		}
	}
	var problems []placement.Problem
	if o.Cluster != nil {
		problems = override.ConflictsCluster(override.ClusterResourceOverride{Name: o.Name, Spec: *o.Cluster}, others.overrides.Cluster)
	}
	if o.Namespaced != nil {
		problems = override.Conflicts(override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: *o.Namespaced}, others.overrides.Namespaced)
	}
	if len(problems) == 0 {
		return nil
	}
	return &engine.UnsupportedError{Path: problems[0].Path, Message: problems[0].String()}
}

// sameRecord tells a record that an apply left which was killed from one of somebody else.
func sameRecord(want, live *unstructured.Unstructured) bool {
	a, _, _ := unstructured.NestedString(want.Object, "data", overrideKey)
	b, _, _ := unstructured.NestedString(live.Object, "data", overrideKey)
	return a == b
}

func importID(reference override.Reference) string {
	if reference.Namespace == "" {
		return reference.Name
	}
	return reference.Namespace + "/" + reference.Name
}

// ReadOverride reads the record from every configured member. The one that most members have counts; the others are named.
func (e *Engine) ReadOverride(ctx context.Context, reference override.Reference) (engine.Override, []string, error) {
	var mu sync.Mutex
	found := map[string]*overrideRecord{}
	missing, err := e.onReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := cluster.Get(ctx, configMapKind, Namespace, overrideRecordName(reference))
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := decodeOverride(live)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[cluster.Name()] = record
		return nil
	})
	if err != nil {
		return engine.Override{}, nil, err
	}
	chosen := commonest(found)
	if chosen == nil {
		if len(missing) > 0 {
			return engine.Override{}, nil, &engine.UnreachableError{
				Cluster: missing[0], Err: errors.New("no member that answers has a record of the " + reference.String()),
			}
		}
		return engine.Override{}, nil, engine.ErrNotFound
	}
	for _, name := range e.memberNames() {
		if record := found[name]; (record == nil || recordText(record) != recordText(chosen)) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return engine.Override{Reference: reference, Cluster: chosen.Cluster, Namespaced: chosen.Namespaced}, missing, nil
}

// commonest returns the record that most members have; of two, the one of the first member by name.
func commonest(found map[string]*overrideRecord) *overrideRecord {
	votes := map[string]int{}
	for _, record := range found {
		votes[recordText(record)]++
	}
	var chosen *overrideRecord
	for _, name := range sortedKeys(found) {
		if chosen == nil || votes[recordText(found[name])] > votes[recordText(chosen)] {
			chosen = found[name]
		}
	}
	return chosen
}

func recordText(record *overrideRecord) string {
	// The record was decoded from JSON, so it encodes.
	text, _ := json.Marshal(record)
	return string(text)
}

// DeleteOverride removes the records. A member that does not answer must be asked again, or it would go on with the override.
func (e *Engine) DeleteOverride(ctx context.Context, reference override.Reference) error {
	missing, err := e.onReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := cluster.Get(ctx, configMapKind, Namespace, overrideRecordName(reference))
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return remove(ctx, cluster, live)
	})
	if err == nil && len(missing) > 0 {
		err = &engine.UnreachableError{
			Cluster: missing[0], Err: errors.New("the record of the " + reference.String() + " could not be removed, because the member does not answer"),
		}
	}
	return err
}

// onReachable works on every configured member at once and names those that do not answer; other errors are returned.
func (e *Engine) onReachable(ctx context.Context, work func(context.Context, *kube.Cluster) error) (silent []string, err error) {
	var mu sync.Mutex
	err = e.onEach(ctx, e.memberNames(), func(ctx context.Context, name string) error {
		err := work(ctx, e.members[name])
		if kube.IsUnreachable(err) {
			mu.Lock()
			silent = append(silent, name)
			mu.Unlock()
			return nil
		}
		return err
	})
	slices.Sort(silent)
	return silent, err
}
