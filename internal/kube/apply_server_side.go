package kube

import (
	"context"
	"encoding/json"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// ApplyServerSide applies an object as the field manager of opts, and reports whether the object changed, apart from its status and the fields that the
// server sets. live is the object as it was read, with its managedFields. If live was recreated, ApplyServerSide returns a conflict. If live was deleted, it
// returns a conflict, or an error for which IsNotFound holds. If live is nil, ApplyServerSide creates the object, or changes an existing one.
//
// It returns a *ConflictError if the apply would change fields that other managers own and opts.Force is not set. A manager that created the object with
// Create owns its fields by update. Unless opts.KeepUpdates is set, a separate request first migrates that ownership to apply: then the apply removes fields
// that the manifest no longer has, and the manager does not conflict with itself. A dry run cannot migrate the ownership. Instead, it ignores conflicts with
// the manager itself, and sends a second request to determine the object without the removed fields.
func (c *Cluster) ApplyServerSide(
	ctx context.Context, obj, live *unstructured.Unstructured, opts ApplyOptions,
) (result *unstructured.Unstructured, changed bool, err error) {
	ref, read := RefOf(obj), live
	former := func() []byte { return writtenConfiguration(read, c.FieldManager(opts.FieldManager)) }
	result, err = call(ctx, c, opApply, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		apply := serverSideApply{client: client, manager: c.FieldManager(opts.FieldManager), ref: ref, cluster: c.name, opts: opts}
		if opts.DryRun {
			tried, err := apply.sendDryRun(ctx, obj, live)
			return tried, asForeignElements(obj, live, former, err)
		}
		if !opts.KeepUpdates {
			if live, err = apply.migrate(ctx, live); err != nil {
				return nil, err
			}
		}
		applied, err := apply.send(ctx, obj, live, opts.Force)
		return applied, asForeignElements(obj, live, former, err)
	})
	if err != nil {
		return nil, false, err
	}
	return result, isAltered(live, result), nil
}

type serverSideApply struct {
	client  dynamic.ResourceInterface
	cluster string
	manager string
	ref     Ref
	opts    ApplyOptions
}

// send sends the apply. The UID of live and, with OptimisticLock, its resourceVersion are preconditions. live may be nil.
func (a serverSideApply) send(ctx context.Context, obj, live *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	out := manifest.WithoutServerSet(obj)
	if live != nil {
		out.SetUID(live.GetUID())
		if a.opts.OptimisticLock {
			out.SetResourceVersion(live.GetResourceVersion())
		}
	}
	data, err := out.MarshalJSON()
	if err != nil {
		return nil, err
	}
	result, err := a.client.Patch(ctx, a.ref.Name, types.ApplyPatchType, data, metav1.PatchOptions{
		FieldManager: a.manager, Force: &force, DryRun: dryRun(a.opts.DryRun), FieldValidation: validation(a.opts.Strict),
	})
	return result, asReplacedConflict(a.ref, err)
}

// sendDryRun sends the dry run. If all conflicts are with the manager itself, it repeats the request with force, because the real apply would have migrated
// the manager's ownership by update. If there are conflicts with other managers, it returns only these. With KeepUpdates, it returns all conflicts, because
// the real apply migrates nothing. If the manager owns fields by update, sendDryRun then determines the object without the fields that the real apply would
// remove.
func (a serverSideApply) sendDryRun(ctx context.Context, obj, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	result, err := a.send(ctx, obj, live, a.opts.Force)
	if conflict := asConflictError(a.cluster, a.ref, err); conflict != nil && !a.opts.KeepUpdates {
		if conflict.Conflicts = withoutManager(conflict.Conflicts, a.manager); len(conflict.Conflicts) > 0 {
			return nil, conflict
		}
		result, err = a.send(ctx, obj, live, true)
	}
	switch {
	case live == nil || a.opts.KeepUpdates || !ownsByUpdate(live, a.manager):
		return result, err
	case apierrors.IsInvalid(err): // possibly because of fields that the real apply would remove
		return a.dryRunMerge(ctx, obj, live)
	case err != nil:
		return nil, err
	default:
		return a.dryRunRemoval(ctx, live, result)
	}
}

// dryRunMerge returns the result of the dry run for an object that cannot have the applied fields and the fields to remove at the same time, for example two
// unnamed ports of a Service. The first dry run found no conflict with other managers, so a client-side merge has the same result.
func (a serverSideApply) dryRunMerge(ctx context.Context, obj, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind, data, err := threeWay(writtenConfiguration(live, a.manager), manifest.WithoutServerSet(obj), live, a.opts.OptimisticLock)
	if err != nil || data == nil {
		return live, err
	}
	return a.dryRunPatch(ctx, kind, data)
}

// dryRunRemoval returns the result of the dry run for an object without the fields that the manager owns only by update. result is the object from the dry
// run of the apply. In its managedFields, the fields that the manager owns only by update are those that the manifest does not have. The API server may set
// removed fields again as defaults.
func (a serverSideApply) dryRunRemoval(ctx context.Context, live, result *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	updated := updatedBy(a.manager)
	retained := ownedFields(result, func(entry metav1.ManagedFieldsEntry) bool { return !updated(entry) })
	removed := ownedFields(result, updated).Difference(retained)
	if removed.Empty() {
		return result, nil
	}
	remaining := removeFields(content(result), removed, retained)
	if reflect.DeepEqual(remaining, content(result)) {
		return result, nil
	}
	data, err := a.changesTo(live, remaining)
	if err != nil {
		return nil, err
	}
	return a.dryRunPatch(ctx, types.MergePatchType, data)
}

func (a serverSideApply) dryRunPatch(ctx context.Context, kind types.PatchType, data []byte) (*unstructured.Unstructured, error) {
	result, err := a.client.Patch(ctx, a.ref.Name, kind, data, metav1.PatchOptions{
		FieldManager: a.manager, DryRun: dryRun(true), FieldValidation: validation(a.opts.Strict),
	})
	return result, asReplacedConflict(a.ref, err)
}

func (a serverSideApply) changesTo(live *unstructured.Unstructured, desired any) ([]byte, error) {
	before, err := json.Marshal(content(live))
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(desired)
	if err != nil {
		return nil, err
	}
	data, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		return nil, err
	}
	var changes map[string]any
	if err := json.Unmarshal(data, &changes); err != nil {
		return nil, err
	}
	return addPreconditions(changes, live, a.opts.OptimisticLock)
}

// migrate converts the manager's ownership by update into ownership by apply, and returns the changed object. If there is no such ownership, it returns
// live. The patch contains the resourceVersion, so that it cannot overwrite newer managedFields. After a conflict, migrate reads the object and retries,
// with at most maxMigrations attempts. It does not retry if the object was recreated, or if OptimisticLock is set.
func (a serverSideApply) migrate(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for attempt := 1; ; attempt++ {
		if live == nil || !ownsByUpdate(live, a.manager) {
			return live, nil
		}
		patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(a.manager), a.manager)
		if err != nil || patch == nil {
			return live, err
		}
		migrated, err := a.client.Patch(ctx, a.ref.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: a.manager})
		if !apierrors.IsConflict(err) || a.opts.OptimisticLock || attempt == maxMigrations {
			return migrated, err
		}
		current, getErr := a.client.Get(ctx, a.ref.Name, metav1.GetOptions{})
		if getErr != nil {
			return nil, getErr
		}
		if current.GetUID() != live.GetUID() {
			return nil, err
		}
		live = current
	}
}

const maxMigrations = 5
