package override

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"k8s.io/apimachinery/pkg/util/json"
)

// The variables in values, in upper case only.
const (
	nameVariable  = "${MEMBER-CLUSTER-NAME}"
	labelVariable = "${MEMBER-CLUSTER-LABEL-KEY-"
)

// decode decodes a JSON value, and replaces its variables. It returns a new value from each call, and nil for an empty value.
func decode(value []byte, cluster Cluster) (any, error) {
	if len(value) == 0 {
		return nil, nil
	}
	var decoded any
	if err := json.Unmarshal(value, &decoded); err != nil {
		// The error of the library contains a part of the value.
		return nil, errors.New("the value is not JSON")
	}
	return fill(decoded, cluster)
}

// fill replaces the variables in strings and keys. KubeFleet replaces them in the JSON text, in which only strings and keys can contain them.
func fill(value any, cluster Cluster) (any, error) {
	switch value := value.(type) {
	case string:
		return expand(value, cluster)
	case []any:
		for i, element := range value {
			filled, err := fill(element, cluster)
			if err != nil {
				return nil, err
			}
			value[i] = filled
		}
		return value, nil
	case map[string]any:
		return fillMap(value, cluster)
	default:
		return value, nil
	}
}

func fillMap(value map[string]any, cluster Cluster) (map[string]any, error) {
	result := make(map[string]any, len(value))
	for key, element := range value {
		name, err := expand(key, cluster)
		if err != nil {
			return nil, err
		}
		if _, found := result[name]; found {
			return nil, errors.New("two keys of the value are the same once their variables are replaced")
		}
		if result[name], err = fill(element, cluster); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// expand replaces the variables in a text: the cluster's name first, so that it can be part of a label's key. Variables in a label's value are
// not replaced.
func expand(text string, cluster Cluster) (string, error) {
	rest := strings.ReplaceAll(text, nameVariable, cluster.Name)
	var b strings.Builder
	for {
		before, after, found := strings.Cut(rest, labelVariable)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		key, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", fmt.Errorf("a variable %s... in the value has no closing bracket }", labelVariable)
		}
		label, known := cluster.label(key)
		switch {
		case known:
		case naming.LabelKey(key) != "":
			// The text in the variable may be secret, so the error does not contain it.
			return "", fmt.Errorf("a variable %s...} in the value does not name a label key", labelVariable)
		default:
			return "", fmt.Errorf("label key %s not found on cluster %q", key, cluster.Name)
		}
		b.WriteString(label)
		rest = after
	}
}
