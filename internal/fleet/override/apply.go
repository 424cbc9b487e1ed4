package override

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Result is the result of applying overrides to an object.
type Result struct {
	// Object is the object for the cluster; it is the zero value if Deleted is true.
	Object manifest.Object
	// Deleted reports that the object is not placed on the cluster.
	Deleted bool
	// Applied lists the overrides that had a rule for the cluster, in order.
	Applied []Reference
}

// Apply applies overrides to an object for a cluster. The overrides must be in the order of [Applicable]. Apply applies all rules that match the cluster, up to
// the first rule of type Delete. It does not change object. The error is an *[Error]: as in KubeFleet, Apply returns no object if one operation fails.
func Apply(object manifest.Object, cluster Cluster, overrides []Override) (Result, error) {
	var result Result
	content := object.Content.Object
	changed := false
	for _, o := range overrides {
		out, err := o.apply(content, object.Identifier, cluster)
		if err != nil {
			return Result{}, err
		}
		if out.matched {
			result.Applied = append(result.Applied, o.Reference)
		}
		if out.deleted {
			result.Deleted = true
			return result, nil
		}
		if out.content != nil {
			content, changed = out.content, true
		}
	}
	result.Object = manifest.Object{Identifier: object.Identifier, Content: &unstructured.Unstructured{Object: content}}
	if !changed {
		result.Object.Content = object.Content.DeepCopy()
	}
	return result, nil
}

type outcome struct {
	matched, deleted bool
	// content is the new object; nil if it has not changed.
	content map[string]any
}

func (o Override) apply(content map[string]any, object manifest.Identifier, cluster Cluster) (outcome, error) {
	var out outcome
	var text []byte // the object as JSON, encoded for the first operation
	failure := &Error{Override: o.Reference, Object: object, Cluster: cluster.Name, Patch: -1}
	for i, rule := range o.Rules {
		failure.Rule = i
		matches, err := rule.matches(cluster)
		if err != nil {
			failure.Err = err
			return outcome{}, failure
		}
		if !matches {
			continue
		}
		out.matched = true
		if rule.OverrideType == Delete {
			return outcome{matched: true, deleted: true}, nil
		}
		for j, p := range rule.JSONPatchOverrides {
			failure.Patch, failure.JSONPath = j, p.Path
			if text == nil {
				text, failure.Err = toJSON(content)
			}
			if failure.Err == nil {
				text, failure.Err = p.apply(text, cluster)
			}
			if failure.Err != nil {
				return outcome{}, failure
			}
		}
		failure.Patch, failure.JSONPath = -1, ""
	}
	if text == nil {
		return out, nil
	}
	if out.content, failure.Err = fromJSON(text); failure.Err != nil {
		failure.Rule = -1
		return outcome{}, failure
	}
	return out, nil
}

// toJSON and fromJSON convert an object for the JSON patch library. Neither returns an error that may contain a value of the object.
func toJSON(content map[string]any) ([]byte, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, errors.New("the object is not JSON")
	}
	return text, nil
}

// fromJSON decodes integers as integers, like the API machinery.
func fromJSON(text []byte) (map[string]any, error) {
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, errors.New("the object is not JSON afterwards")
	}
	// FromValue rejects labels and annotations whose values are not strings. The getters of an unstructured object ignore such labels and
	// annotations.
	if _, err := manifest.FromValue(content); err != nil {
		return nil, fmt.Errorf("the object is not valid afterwards: %w", err)
	}
	return content, nil
}

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
