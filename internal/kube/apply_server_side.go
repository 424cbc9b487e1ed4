package kube

import (
	"context"
	"slices"

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
// manifest are removed from the object, and the manager does not conflict with itself. A dry run leaves that step out: conflicts with the
// manager itself are passed over, and fields that leave the manifest still show.
func (c *Cluster) ApplyServerSide(
	ctx context.Context, obj, live *unstructured.Unstructured, opts ApplyOptions,
) (result *unstructured.Unstructured, changed bool, err error) {
	ref := RefOf(obj)
	result, err = call(ctx, c, opApply, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		apply := serverSideApply{client: client, manager: c.manager(opts.FieldManager), ref: ref, cluster: c.name, opts: opts}
		if opts.DryRun {
			return apply.try(ctx, obj, live)
		}
		if live, err = apply.migrate(ctx, live); err != nil {
			return nil, err
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
// else only the conflicts with others are returned.
func (a serverSideApply) try(ctx context.Context, obj, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	result, err := a.send(ctx, obj, live, a.opts.Force)
	conflict := asConflictError(a.cluster, a.ref, err)
	if conflict == nil {
		return result, err
	}
	if conflict.Conflicts = without(conflict.Conflicts, a.manager); len(conflict.Conflicts) > 0 {
		return nil, conflict
	}
	return a.send(ctx, obj, live, true)
}

// migrate turns what the manager owns by update into ownership by apply, and returns the object as it is then. The patch carries the
// resourceVersion, so that managedFields which changed meanwhile are not overwritten.
func (a serverSideApply) migrate(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil || !ownsByUpdate(live, a.manager) {
		return live, nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(a.manager), a.manager)
	if err != nil || patch == nil {
		return live, err
	}
	return a.client.Patch(ctx, a.ref.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: a.manager})
}

// ownsByUpdate reports whether the manager owns fields of the object itself, not of a subresource, by update.
func ownsByUpdate(live *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == ""
	})
}
