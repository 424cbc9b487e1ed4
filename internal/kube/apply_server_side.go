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

// ApplyServerSide applies an object as the field manager of opts, and reports whether that changed it, status and bookkeeping aside. live
// is the object as it was read, with its managedFields, or nil if there is none. With live the request is refused with a conflict if the
// object has been replaced by another of the same name meanwhile, or removed. Without live an object that exists nevertheless is changed:
// where that matters, use Create.
//
// Fields of other managers make a *ConflictError unless opts.Force is set. A manager that made the object by Create owns its fields in
// another way, as an update; that ownership is turned into one by apply first, in a request of its own, so that fields which leave the
// manifest are removed from the object, and the manager does not conflict with itself. A dry run cannot do that: it passes over conflicts
// with the manager itself, and asks in a request of its own what becomes of the object without such fields.
func (c *Cluster) ApplyServerSide(
	ctx context.Context, obj, live *unstructured.Unstructured, opts ApplyOptions,
) (result *unstructured.Unstructured, changed bool, err error) {
	ref := RefOf(obj)
	result, err = call(ctx, c, opApply, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		apply := serverSideApply{client: client, manager: c.FieldManager(opts.FieldManager), ref: ref, cluster: c.name, opts: opts}
		if opts.DryRun {
			return apply.try(ctx, obj, live)
		}
		if !opts.KeepUpdates {
			if live, err = apply.migrate(ctx, live); err != nil {
				return nil, err
			}
		}
		return apply.send(ctx, obj, live, opts.Force)
	})
	if err != nil {
		return nil, false, err
	}
	return result, altered(live, result), nil
}

// serverSideApply is one apply of one object.
type serverSideApply struct {
	client  dynamic.ResourceInterface
	cluster string
	manager string
	ref     Ref
	opts    ApplyOptions
}

// send sends the apply patch. Its uid and resourceVersion are preconditions.
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
	return result, replaced(a.ref, err)
}

// try is the dry run. It is repeated with force if nobody but the manager itself objects, as the real apply would not meet that conflict;
// else only the conflicts with others are returned. A manager that keeps what it owns by update does conflict with itself.
func (a serverSideApply) try(ctx context.Context, obj, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	result, err := a.send(ctx, obj, live, a.opts.Force)
	if conflict := asConflictError(a.cluster, a.ref, err); conflict != nil && !a.opts.KeepUpdates {
		if conflict.Conflicts = without(conflict.Conflicts, a.manager); len(conflict.Conflicts) > 0 {
			return nil, conflict
		}
		result, err = a.send(ctx, obj, live, true)
	}
	switch {
	case live == nil || a.opts.KeepUpdates || !ownsByUpdate(live, a.manager):
		return result, err
	case apierrors.IsInvalid(err): // together with what is to go, perhaps
		return a.tryMerge(ctx, obj, live)
	case err != nil:
		return nil, err
	default:
		return a.tryRemoval(ctx, live, result)
	}
}

// tryMerge is the dry run of an object that cannot hold both what is applied and what leaves the manifest: two ports of a Service without
// names, for instance. Nobody else objects to the fields by then, so a merge on the client's side comes to the same.
func (a serverSideApply) tryMerge(ctx context.Context, obj, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind, data, err := threeWay(writtenConfiguration(live, a.manager), manifest.WithoutServerSet(obj), live, a.opts.OptimisticLock)
	if err != nil || data == nil {
		return live, err
	}
	return a.tryPatch(ctx, kind, data)
}

// tryRemoval goes on from the result of a dry run and removes what the manager alone owns by update, by now not by apply: that is what the
// manifest lacks, and what the API server fills in anew.
func (a serverSideApply) tryRemoval(ctx context.Context, live, result *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	updated := updatedBy(a.manager)
	kept := ownedFields(result, func(entry metav1.ManagedFieldsEntry) bool { return !updated(entry) })
	gone := ownedFields(result, updated).Difference(kept)
	if gone.Empty() {
		return result, nil
	}
	left := withoutFields(content(result), gone, kept)
	if reflect.DeepEqual(left, content(result)) {
		return result, nil
	}
	data, err := a.changesTo(live, left)
	if err != nil {
		return nil, err
	}
	return a.tryPatch(ctx, types.MergePatchType, data)
}

func (a serverSideApply) tryPatch(ctx context.Context, kind types.PatchType, data []byte) (*unstructured.Unstructured, error) {
	result, err := a.client.Patch(ctx, a.ref.Name, kind, data, metav1.PatchOptions{
		FieldManager: a.manager, DryRun: dryRun(true), FieldValidation: validation(a.opts.Strict),
	})
	return result, replaced(a.ref, err)
}

// changesTo is the patch that makes of live what its content is to be.
func (a serverSideApply) changesTo(live *unstructured.Unstructured, wanted any) ([]byte, error) {
	before, err := json.Marshal(content(live))
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(wanted)
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
	return guarded(changes, live, a.opts.OptimisticLock)
}

// migrate turns what the manager owns by update into ownership by apply, and returns the object as it is then. The patch carries the
// resourceVersion, so that managedFields which changed meanwhile are not overwritten: without an optimistic lock it is made anew then.
func (a serverSideApply) migrate(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for again := 1; ; again++ {
		if live == nil || !ownsByUpdate(live, a.manager) {
			return live, nil
		}
		patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(a.manager), a.manager)
		if err != nil || patch == nil {
			return live, err
		}
		migrated, err := a.client.Patch(ctx, a.ref.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: a.manager})
		if !apierrors.IsConflict(err) || a.opts.OptimisticLock || again == migrations {
			return migrated, err
		}
		now, getErr := a.client.Get(ctx, a.ref.Name, metav1.GetOptions{})
		if getErr != nil {
			return nil, getErr
		}
		if now.GetUID() != live.GetUID() {
			return nil, err
		}
		live = now
	}
}

// migrations is how often ownership is turned into one by apply, of an object that others write meanwhile.
const migrations = 5
