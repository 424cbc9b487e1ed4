package override

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

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
	content := object.Content.Object
	changed := false
	for _, o := range overrides {
		done, err := o.apply(content, object.Identifier, cluster)
		if err != nil {
			return Result{}, err
		}
		if done.matched {
			result.Applied = append(result.Applied, o.Reference)
		}
		if done.deleted {
			result.Deleted = true
			return result, nil
		}
		if done.content != nil {
			content, changed = done.content, true
		}
	}
	result.Object = manifest.Object{Identifier: object.Identifier, Content: &unstructured.Unstructured{Object: content}}
	if !changed {
		result.Object.Content = object.Content.DeepCopy()
	}
	return result, nil
}

// outcome is what one override made of an object.
type outcome struct {
	matched, deleted bool
	// content is a new object; nil stands for the same as before.
	content map[string]any
}

// apply applies the rules of one override.
func (o Override) apply(content map[string]any, object manifest.Identifier, cluster Cluster) (outcome, error) {
	var done outcome
	var text []byte // the object as JSON, once an operation has needed it
	fault := &Error{Override: o.Reference, Object: object, Cluster: cluster.Name, Patch: -1}
	for i, rule := range o.Rules {
		fault.Rule = i
		matches, err := rule.matches(cluster)
		if err != nil {
			fault.Err = err
			return outcome{}, fault
		}
		if !matches {
			continue
		}
		done.matched = true
		if rule.OverrideType == Delete {
			return outcome{matched: true, deleted: true}, nil
		}
		for j, p := range rule.JSONPatchOverrides {
			fault.Patch, fault.JSONPath = j, p.Path
			if text == nil {
				text, fault.Err = toJSON(content)
			}
			if fault.Err == nil {
				text, fault.Err = p.apply(text, cluster)
			}
			if fault.Err != nil {
				return outcome{}, fault
			}
		}
		fault.Patch, fault.JSONPath = -1, ""
	}
	if text == nil {
		return done, nil
	}
	if done.content, fault.Err = fromJSON(text); fault.Err != nil {
		fault.Rule = -1
		return outcome{}, fault
	}
	return done, nil
}

// toJSON and fromJSON are the way to the library and back. Neither passes an error on that may repeat a value.
func toJSON(content map[string]any) ([]byte, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, errors.New("the object is not JSON")
	}
	return text, nil
}

// fromJSON returns integers as integers, as the API machinery has them.
func fromJSON(text []byte) (map[string]any, error) {
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, errors.New("the object is not JSON afterwards")
	}
	// Labels and annotations that are not texts would look as if there were none, to us and in what is written.
	if _, err := manifest.FromValue(content); err != nil {
		return nil, fmt.Errorf("the object is not valid afterwards: %w", err)
	}
	return content, nil
}

// apply applies one operation to a text of JSON.
func (p Patch) apply(text []byte, cluster Cluster) ([]byte, error) {
	if err := checkPath(p.Path); err != nil {
		return nil, err
	}
	if err := checkOperation(p.Operation); err != nil {
		return nil, err
	}
	value, err := decode(p.Value, cluster)
	if err != nil {
		return nil, err
	}
	return patch(text, p.Operation, p.Path, value)
}
