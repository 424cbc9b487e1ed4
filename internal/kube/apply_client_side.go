package kube

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ApplyClientSide applies an object by a three-way merge of the last applied configuration, obj and live, as kubectl apply does, and
// reports whether the object changed. Lists of built-in kinds are merged by their keys; lists of other kinds are replaced as a whole. live is
// the object as it was read, or nil to create it. If nothing changes, no request is sent.
//
// The last applied configuration is stored in the annotation opts.LastAppliedAnnotation. If live does not have the annotation, the apply sets
// fields but removes none, unless opts.Own allows it to use managedFields instead.
//
// ApplyClientSide returns an error if live was deleted, and a conflict if it was recreated.
func (c *Cluster) ApplyClientSide(
	ctx context.Context, obj, live *unstructured.Unstructured, opts ApplyOptions,
) (result *unstructured.Unstructured, changed bool, err error) {
	ref, annotation := RefOf(obj), cmp.Or(opts.LastAppliedAnnotation, DefaultLastAppliedAnnotation)
	desired, err := withLastApplied(obj, annotation)
	if err != nil {
		return nil, false, c.wrap(opApply, ref, &requestError{"it cannot be written as JSON"})
	}
	if live == nil {
		result, err = c.Create(ctx, desired, WriteOptions{FieldManager: opts.FieldManager, DryRun: opts.DryRun, Strict: opts.Strict})
		return result, err == nil, err
	}
	if opts.LargeServerSide && desired.GetAnnotations()[annotation] == "" {
		return c.ApplyServerSide(ctx, desired, live, opts)
	}
	original := lastApplied(live, annotation)
	if original == nil && opts.Own {
		original = writtenConfiguration(live, c.FieldManager(opts.FieldManager))
	}
	patch, data, err := threeWay(original, desired, live, opts.OptimisticLock)
	if err != nil {
		return nil, false, c.wrap(opApply, ref, err)
	}
	if data == nil {
		return live, false, nil
	}
	result, err = call(ctx, c, opApply, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		patched, err := client.Patch(ctx, ref.Name, patch, data, metav1.PatchOptions{
			FieldManager: c.FieldManager(opts.FieldManager), DryRun: dryRun(opts.DryRun), FieldValidation: validation(opts.Strict),
		})
		return patched, asForeignElements(obj, live, func() []byte { return original }, asReplacedConflict(ref, err))
	})
	if err != nil {
		return nil, false, err
	}
	return result, isAltered(live, result), nil
}

// MergeClientSide returns live with the patch of ApplyClientSide, without the defaults and admission rules of the API server. It reads the
// last applied configuration from the annotation only: opts.Own has no effect, because managedFields include defaults. It returns nil if the
// objects cannot be merged, or if ApplyClientSide would apply obj server-side.
func MergeClientSide(obj, live *unstructured.Unstructured, opts ApplyOptions) *unstructured.Unstructured {
	annotation := cmp.Or(opts.LastAppliedAnnotation, DefaultLastAppliedAnnotation)
	desired, err := withLastApplied(obj, annotation)
	if err != nil || opts.LargeServerSide && desired.GetAnnotations()[annotation] == "" {
		return nil
	}
	_, data, err := threeWay(lastApplied(live, annotation), desired, live, false)
	if err != nil {
		return nil
	}
	if data == nil {
		return live
	}
	rules := mergeRulesOf(desired.GroupVersionKind())
	current, err := live.MarshalJSON()
	if err != nil {
		return nil
	}
	merged, err := rules.apply(current, data)
	if err != nil {
		return nil
	}
	out := &unstructured.Unstructured{}
	if out.UnmarshalJSON(merged) != nil {
		return nil
	}
	return out
}
