package direct

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyOverride writes the record of the override to every configured member. The result names the unreachable members in MissingOn. For a new override,
// FoundOn names the members that already had an identical record.
func (e *Engine) ApplyOverride(ctx context.Context, o engine.Override, prior *engine.Override) (engine.KeptOverride, error) {
	o.UID = engine.NewID()
	if prior != nil {
		o.UID = cmp.Or(prior.UID, o.UID)
	}
	wanted := record.Override{Namespace: o.Namespace, Name: o.Name, ID: o.UID, Cluster: o.Cluster, Namespaced: o.Namespaced}
	want, secret, err := wanted.Encode()
	if err != nil {
		return engine.KeptOverride{}, err
	}
	var mu sync.Mutex
	var found []string
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		if err := checkConflicts(ctx, cluster, o); err != nil {
			return err
		}
		live, err := findOverride(ctx, cluster, o.Reference, prior)
		if err != nil {
			return err
		}
		var values *unstructured.Unstructured
		if secret != nil || live != nil && pointsToSecret(live) {
			if values, err = record.Find(ctx, cluster, record.SecretKind, want.GetName()); err != nil {
				return err
			}
		}
		if live == nil {
			err = record.EnsureNamespace(ctx, cluster)
		} else if prior == nil {
			err = checkExisting(wanted, live, values, cluster.Name())
		}
		if err != nil {
			return err
		}
		if prior == nil && live != nil {
			mu.Lock()
			found = append(found, cluster.Name())
			mu.Unlock()
		}
		return putOverride(ctx, cluster, want, live, secret, values)
	})
	slices.Sort(found)
	return engine.KeptOverride{Override: o, MissingOn: missing, FoundOn: found}, err
}

// checkExisting returns an *[engine.ExistsError] if a member has an override of the name with other content. It ignores the identity in the record. live is the
// ConfigMap of the record, and values is its Secret, or nil.
func checkExisting(wanted record.Override, live, values *unstructured.Unstructured, member string) error {
	known, err := record.DecodeOverride(live)
	if err != nil {
		return err
	}
	wanted.ID = known.ID
	same, secret, err := wanted.Encode()
	if err != nil {
		return err
	}
	if record.Holds(live, same) && (values == nil || secret != nil && record.Holds(values, secret)) {
		return nil
	}
	reference := override.Reference{Namespace: wanted.Namespace, Name: wanted.Name}
	return &engine.ExistsError{What: "The " + reference.String(), Where: member, Import: engine.Reference(reference).String()}
}

// findOverride returns a member's record of an override, or nil. If the record has another identity than the prior override, the error is an
// [engine.ManagedElsewhereError].
func findOverride(ctx context.Context, cluster *kube.Cluster, reference override.Reference, prior *engine.Override) (*unstructured.Unstructured, error) {
	live, err := record.Find(ctx, cluster, record.ConfigMapKind, record.OverrideName(reference))
	if err != nil || live == nil || prior == nil || prior.UID == "" {
		return live, err
	}
	// An unreadable record is returned, so that it can be deleted.
	if known, err := record.DecodeOverride(live); err == nil && known.ID != prior.UID {
		return nil, &engine.ManagedElsewhereError{
			What: "the " + reference.String(), Cluster: cluster.Name(), Import: engine.Reference(reference).String(), Theirs: cmp.Or(known.ID, "none"),
			Ours: prior.UID, Record: "ConfigMap " + record.Namespace + "/" + live.GetName(),
		}
	}
	return live, nil
}

// putOverride writes want, the ConfigMap of a record, and secret, the Secret with its values. If secret is nil, it deletes an existing Secret. live and values
// are the existing ConfigMap and Secret, or nil. The order of the writes ensures that the ConfigMap never points to a missing Secret.
func putOverride(ctx context.Context, cluster *kube.Cluster, want, live, secret, values *unstructured.Unstructured) error {
	if secret != nil {
		if _, err := record.Put(ctx, cluster, secret, values); err != nil {
			return err
		}
	}
	if _, err := record.Put(ctx, cluster, want, live); err != nil || secret != nil || values == nil {
		return err
	}
	return record.Remove(ctx, cluster, values)
}

func pointsToSecret(live *unstructured.Unstructured) bool {
	known, err := record.DecodeOverride(live)
	return err == nil && known.InSecret
}

// checkConflicts returns an error for an override that KubeFleet's webhooks would deny: two overrides select the same object, or there are too many overrides.
func checkConflicts(ctx context.Context, cluster *kube.Cluster, o engine.Override) error {
	records, err := cluster.List(ctx, record.ConfigMapKind, record.Namespace, record.KindLabel+"="+record.OverrideKind)
	if err != nil {
		return err
	}
	var others override.Overrides
	for _, u := range records {
		known, err := record.DecodeOverride(u)
		if err != nil {
			return err
		}
		known.AddTo(&others)
	}
	var problems []placement.Problem
	if o.Cluster != nil {
		problems = override.ConflictsCluster(override.ClusterResourceOverride{Name: o.Name, Spec: *o.Cluster}, others.Cluster)
	}
	if o.Namespaced != nil {
		problems = override.Conflicts(override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: *o.Namespaced}, others.Namespaced)
	}
	if len(problems) == 0 {
		return nil
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: problems[0].Path, Message: problems[0].String()}}
}

// ReadOverride reads the record from every configured member. It returns the record that most members have. MissingOn has the names of the other members. If no
// member has a record, it returns [engine.ErrNotFound], or an *[engine.UnreachableError] if a member is unreachable.
func (e *Engine) ReadOverride(ctx context.Context, reference override.Reference, prior *engine.Override) (engine.KeptOverride, error) {
	ctx = kube.FailFast(ctx)
	var mu sync.Mutex
	found := map[string]*record.Override{}
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := findOverride(ctx, cluster, reference, prior)
		if err != nil || live == nil {
			return err
		}
		known, err := record.WholeOverride(ctx, cluster, live)
		if kube.IsNotFound(err) {
			return nil // a record without its values counts as missing
		}
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[cluster.Name()] = known
		return nil
	})
	if err != nil {
		return engine.KeptOverride{}, err
	}
	chosen := mostCommon(found)
	if chosen == nil {
		if len(missing) > 0 {
			return engine.KeptOverride{}, &engine.UnreachableError{
				Cluster: missing[0], Err: errors.New("no reachable member has a record of the " + reference.String()),
			}
		}
		return engine.KeptOverride{}, engine.ErrNotFound
	}
	for _, name := range e.clusters.Names() {
		if known := found[name]; (known == nil || known.Text() != chosen.Text()) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return engine.KeptOverride{
		Override: engine.Override{Reference: reference, UID: chosen.ID, Cluster: chosen.Cluster, Namespaced: chosen.Namespaced}, MissingOn: missing,
	}, nil
}

// mostCommon returns the record that most members have. If several are equally common, it returns the record of the first member by name.
func mostCommon(found map[string]*record.Override) *record.Override {
	votes := map[string]int{}
	for _, known := range found {
		votes[known.Text()]++
	}
	var chosen *record.Override
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if chosen == nil || votes[found[name].Text()] > votes[chosen.Text()] {
			chosen = found[name]
		}
	}
	return chosen
}

// DeleteOverride removes the records. It returns an error if a member is unreachable, because that member would keep the override.
func (e *Engine) DeleteOverride(ctx context.Context, prior engine.Override) error {
	reference := prior.Reference
	_, values, err := record.Override{Name: prior.Name, Cluster: prior.Cluster, Namespaced: prior.Namespaced}.Encode()
	if err != nil {
		return err
	}
	missing, err := e.clusters.EachReachable(ctx, func(ctx context.Context, cluster *kube.Cluster) error {
		live, err := findOverride(ctx, cluster, reference, &prior)
		if err != nil {
			return err
		}
		hasValues := values != nil
		if live != nil {
			hasValues = hasValues || pointsToSecret(live)
			if err := record.Remove(ctx, cluster, live); err != nil {
				return err
			}
		}
		if !hasValues {
			return nil
		}
		secret, err := record.Find(ctx, cluster, record.SecretKind, record.OverrideName(reference))
		if err != nil || secret == nil {
			return err
		}
		return record.Remove(ctx, cluster, secret)
	})
	if err == nil && len(missing) > 0 {
		err = &engine.UnreachableError{
			Cluster: missing[0], Err: errors.New("the record of the " + reference.String() + " could not be removed, because the member is " +
				"unreachable"),
		}
	}
	return err
}
