package takeover

import (
	"encoding/json"
	"slices"
	"strings"
)

// mergeKey is a field that tells the elements of a list apart.
type mergeKey struct {
	field string
	// absent is what the field means when it is left out; an element without the field is not told apart if it is nil.
	absent any
}

// listRule gives the merge key of the lists of a name in the built-in kinds.
type listRule struct {
	list string
	// path, if it is set, must stand at the beginning of the list's path.
	path []string
	keys []mergeKey
}

var (
	byName     = []mergeKey{{field: "name"}}
	byProtocol = mergeKey{field: "protocol", absent: "TCP"}
)

// listRules are the lists of the built-in kinds that server-side apply merges by key (x-kubernetes-list-type: map); it replaces all other
// lists as a whole.
var listRules = []listRule{
	{list: "containers", keys: byName},
	{list: "initContainers", keys: byName},
	{list: "ephemeralContainers", keys: byName},
	{list: "env", keys: byName},
	{list: "volumes", keys: byName},
	{list: "imagePullSecrets", keys: byName},
	{list: "resourceClaims", keys: byName},
	{list: "schedulingGates", keys: byName},
	{list: "secrets", path: []string{}, keys: byName},
	{list: "webhooks", path: []string{}, keys: byName},
	{list: "matchConditions", keys: byName},
	{list: "variables", keys: byName},
	{list: "volumeMounts", keys: []mergeKey{{field: "mountPath"}}},
	{list: "volumeDevices", keys: []mergeKey{{field: "devicePath"}}},
	{list: "hostAliases", keys: []mergeKey{{field: "ip"}}},
	{list: "topologySpreadConstraints", keys: []mergeKey{{field: "topologyKey"}, {field: "whenUnsatisfiable"}}},
	{list: "ports", path: []string{"spec"}, keys: []mergeKey{{field: "port"}, byProtocol}},
	{list: "ports", keys: []mergeKey{{field: "containerPort"}, byProtocol}},
}

// mergeKeys returns the keys by which the elements of two lists are matched, nil if they are not. Elements that the keys do not tell apart
// are compared by index: the API server would refuse them.
func (c *comparison) mergeKeys(path []string, lists ...[]any) []mergeKey {
	if !c.builtIn() || len(path) == 0 {
		return nil
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	for _, rule := range listRules {
		if rule.list != name || rule.path != nil && !slices.Equal(rule.path, parent) {
			continue
		}
		if !slices.ContainsFunc(lists, func(list []any) bool { return !toldApart(list, rule.keys) }) {
			return rule.keys
		}
	}
	return nil
}

func toldApart(list []any, keys []mergeKey) bool {
	seen := map[string]bool{}
	for _, element := range list {
		key := keyOf(element, keys)
		if key == "" || seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// keyOf writes the values of an element's key fields; nothing if one is missing.
func keyOf(element any, keys []mergeKey) string {
	fields, ok := element.(map[string]any)
	if !ok {
		return ""
	}
	parts := make([]string, len(keys))
	for i, key := range keys {
		value := fields[key.field]
		if value == nil {
			value = key.absent
		}
		switch value := value.(type) {
		case string:
			parts[i] = value
		case json.Number:
			parts[i] = value.String()
		default:
			return ""
		}
	}
	return strings.Join(parts, "\x00")
}
