package override

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Result is what overrides made of an object.
type Result struct {
	// Object is the object for the cluster; it is zero if the overrides deleted it.
	Object manifest.Object
	// Deleted tells that the object is not placed on the cluster.
	Deleted bool
	// Applied lists the overrides that had a rule for the cluster, in their order.
	Applied []Reference
}

// Apply makes an object for a cluster: of the overrides, in the order of [Applicable], all rules that match the cluster are applied. A Delete
// ends it. The object is not changed. The error is an *[Error]; as upstream, one operation that fails makes the object fail.
func Apply(object manifest.Object, cluster Cluster, overrides []Override) (Result, error) {
	var result Result
	working := object.Content.DeepCopy().Object
	for _, o := range overrides {
		matched, deleted, err := o.apply(working, object.Identifier, cluster)
		if err != nil {
			return Result{}, err
		}
		if matched {
			result.Applied = append(result.Applied, o.Reference)
		}
		if deleted {
			result.Deleted = true
			return result, nil
		}
	}
	result.Object = manifest.Object{Identifier: object.Identifier, Content: &unstructured.Unstructured{Object: working}}
	return result, nil
}

// apply applies the rules of one override in place.
func (o Override) apply(working map[string]any, object manifest.Identifier, cluster Cluster) (matched, deleted bool, err error) {
	fault := &Error{Override: o.Reference, Object: object, Cluster: cluster.Name, Patch: -1}
	for i, rule := range o.Rules {
		fault.Rule = i
		matches, err := rule.matches(cluster)
		if err != nil {
			fault.Err = err
			return false, false, fault
		}
		if !matches {
			continue
		}
		matched = true
		if rule.OverrideType == Delete {
			return true, true, nil
		}
		for j, p := range rule.JSONPatchOverrides {
			fault.Patch, fault.JSONPath = j, p.Path
			if fault.Err = p.apply(working, cluster); fault.Err != nil {
				return false, false, fault
			}
		}
		fault.Patch, fault.JSONPath = -1, ""
	}
	if !matched {
		return false, false, nil
	}
	// Labels and annotations that are not texts would look as if there were none, to us and in what is written.
	if _, err := manifest.FromValue(working); err != nil {
		fault.Rule, fault.Err = -1, fmt.Errorf("the object is not valid afterwards: %w", err)
		return false, false, fault
	}
	return true, false, nil
}

// apply applies one operation in place.
func (p Patch) apply(working map[string]any, cluster Cluster) error {
	if err := checkPath(p.Path); err != nil {
		return err
	}
	if err := checkOperation(p.Operation); err != nil {
		return err
	}
	value, err := decode(p.Value, cluster)
	if err != nil {
		return err
	}
	return patch(working, p.Operation, p.Path, value)
}
