package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ApplyClientSide applies an object by a three-way merge of the last applied configuration, obj and live, as kubectl apply does, and
// reports whether the object changed. Lists of built-in kinds are merged by their keys; lists of other kinds are replaced as a whole. live is
// the object as it was read, or nil to create it. If nothing changes, no request is sent.
//
// The last applied configuration is stored in the annotation opts.LastAppliedAnnotation. If live does not have the annotation, the apply sets
// fields but removes none, unless opts.Own allows it to use managedFields instead.
//
// If live was deleted, ApplyClientSide returns an error for which IsNotFound holds, or a conflict if it applies the object server-side. If live was
// recreated, it returns a conflict.
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
	opts.FieldManager = c.FieldManager(opts.FieldManager)
	original, patch, data, err := mergeOf(desired, live, annotation, opts)
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
			FieldManager: opts.FieldManager, DryRun: dryRun(opts.DryRun), FieldValidation: validation(opts.Strict),
		})
		return patched, asForeignElements(obj, live, func() []byte { return original }, asReplacedConflict(ref, err))
	})
	if err != nil {
		return nil, false, err
	}
	return result, isAltered(live, result), nil
}

// mergeOf returns the type and the content of the patch of ApplyClientSide. data is nil if nothing changes. The patch removes the fields of original that
// desired does not have. original is the last applied configuration, or nil if there is none. With opts.Own, the fields that the manager owns according to
// managedFields replace a missing configuration. In this case, a map in which others have set keys remains.
func mergeOf(
	desired, live *unstructured.Unstructured, annotation string, opts ApplyOptions,
) (original []byte, patch types.PatchType, data []byte, err error) {
	original = lastApplied(live, annotation)
	if original == nil && opts.Own {
		if original = writtenConfiguration(live, opts.FieldManager); original != nil {
			desired = withMapsOfOthers(desired, original, live)
		}
	}
	if opts.KeepFinalizers {
		desired = withFinalizersOfOthers(desired, original, live)
	}
	patch, data, err = threeWay(original, desired, live, opts.OptimisticLock)
	return original, patch, data, err
}

// withFinalizersOfOthers returns desired with the finalizers of live that original does not have. Otherwise, a merge would remove them: a JSON merge
// replaces the list, and any merge removes a list that original has and desired does not have. If neither desired nor original has finalizers, it returns
// desired unchanged, because the merge then keeps those of live.
func withFinalizersOfOthers(desired *unstructured.Unstructured, original []byte, live *unstructured.Unstructured) *unstructured.Unstructured {
	wanted := desired.GetFinalizers()
	var applied metav1.PartialObjectMetadata
	_ = json.Unmarshal(original, &applied) // without a valid configuration, all finalizers count as those of others
	finalizers := slices.DeleteFunc(live.GetFinalizers(), func(finalizer string) bool {
		return slices.Contains(applied.Finalizers, finalizer) && !slices.Contains(wanted, finalizer)
	})
	for _, finalizer := range wanted {
		if !slices.Contains(finalizers, finalizer) {
			finalizers = append(finalizers, finalizer)
		}
	}
	if len(finalizers) == 0 || slices.Equal(finalizers, wanted) || len(wanted) == 0 && len(applied.Finalizers) == 0 {
		return desired
	}
	out := desired.DeepCopy()
	out.SetFinalizers(finalizers)
	return out
}

// withMapsOfOthers returns a copy of desired with an empty map for each map of original that desired lacks, if the map has other keys in live. Otherwise, a
// merge would remove the whole map.
func withMapsOfOthers(desired *unstructured.Unstructured, original []byte, live *unstructured.Unstructured) *unstructured.Unstructured {
	var written map[string]any
	if json.Unmarshal(original, &written) != nil {
		return desired
	}
	out := desired.DeepCopy()
	addMapsOfOthers(out.Object, written, live.Object)
	return out
}

func addMapsOfOthers(desired, written, live map[string]any) {
	for name := range written {
		ours, isMap := written[name].(map[string]any)
		all, isMapToo := live[name].(map[string]any)
		if !isMap || !isMapToo {
			continue
		}
		if _, has := desired[name]; !has && hasMore(all, ours) {
			desired[name] = map[string]any{}
		}
		if wanted, has := desired[name].(map[string]any); has {
			addMapsOfOthers(wanted, ours, all)
		}
	}
}

// hasMore reports whether all has keys, at any depth, that some does not have.
func hasMore(all, some map[string]any) bool {
	for name, value := range all {
		other, has := some[name]
		if !has {
			return true
		}
		inner, isMap := value.(map[string]any)
		innerOther, isMapToo := other.(map[string]any)
		if isMap && isMapToo && hasMore(inner, innerOther) {
			return true
		}
	}
	return false
}

// MergeClientSide returns live after the patch of ApplyClientSide, without the effects of the API server's defaults and admission rules. opts.FieldManager
// must be set. With opts.Own, the patch can also remove defaults, which the API server sets again. MergeClientSide returns nil if the objects cannot be
// merged, or if ApplyClientSide would apply obj server-side.
func MergeClientSide(obj, live *unstructured.Unstructured, opts ApplyOptions) *unstructured.Unstructured {
	annotation := cmp.Or(opts.LastAppliedAnnotation, DefaultLastAppliedAnnotation)
	desired, err := withLastApplied(obj, annotation)
	if err != nil || opts.LargeServerSide && desired.GetAnnotations()[annotation] == "" {
		return nil
	}
	opts.OptimisticLock = false
	_, _, data, err := mergeOf(desired, live, annotation, opts)
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
