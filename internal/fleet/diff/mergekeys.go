package diff

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// mergeKey is a field that tells the elements of a list apart.
type mergeKey struct {
	// field is empty for a set, the elements of which are told apart by their values.
	field string
	// absent is what the field means when it is left out; an element without the field is not told apart if it is empty.
	absent string
}

// listRule gives the merge key of the lists of a name in the built-in kinds.
type listRule struct {
	list string
	// in are the fields that the list may be in, "" for the object itself; nil for any. Elements of lists do not count.
	in []string
	// kinds are those that the rule is for; nil for all.
	kinds []string
	keys  []mergeKey
}

var (
	byName     = []mergeKey{{field: "name"}}
	byValue    = []mergeKey{{}}
	byProtocol = mergeKey{field: "protocol", absent: "TCP"}

	inObject     = []string{""}
	inSpec       = []string{"spec"}
	inContainers = []string{"containers", "initContainers", "ephemeralContainers"}
	inFlowSchema = []string{"FlowSchema"}
)

// listRules are the lists of the built-in kinds that server-side apply merges (x-kubernetes-list-type map and set, as Kubernetes 1.37 has
// them); it replaces all other lists as a whole. Lists in status are left out, since status is not compared, and so are kinds that are alpha.
var listRules = []listRule{
	{list: "containers", in: inSpec, keys: byName},
	{list: "initContainers", in: inSpec, keys: byName},
	{list: "ephemeralContainers", in: inSpec, keys: byName},
	{list: "volumes", in: inSpec, keys: byName},
	{list: "imagePullSecrets", in: inSpec, keys: byName},
	{list: "resourceClaims", in: inSpec, keys: byName},
	{list: "schedulingGates", in: inSpec, keys: byName},
	{list: "hostAliases", in: inSpec, keys: []mergeKey{{field: "ip"}}},
	{list: "topologySpreadConstraints", in: inSpec, keys: []mergeKey{{field: "topologyKey"}, {field: "whenUnsatisfiable"}}},
	{list: "env", in: inContainers, keys: byName},
	{list: "ports", in: inContainers, keys: []mergeKey{{field: "containerPort"}, byProtocol}},
	{list: "volumeMounts", in: inContainers, keys: []mergeKey{{field: "mountPath"}}},
	{list: "volumeDevices", in: inContainers, keys: []mergeKey{{field: "devicePath"}}},
	{list: "claims", in: []string{"resources"}, keys: byName},
	{list: "ports", in: inSpec, kinds: []string{"Service"}, keys: []mergeKey{{field: "port"}, byProtocol}},
	{list: "secrets", in: inObject, kinds: []string{"ServiceAccount"}, keys: byName},
	{list: "webhooks", in: inObject, keys: byName},
	{list: "matchConditions", in: []string{"webhooks", "spec"}, keys: byName},
	{list: "variables", in: inSpec, kinds: []string{"ValidatingAdmissionPolicy"}, keys: byName},
	{list: "drivers", in: inSpec, kinds: []string{"CSINode"}, keys: byName},
	{list: "validationActions", in: inSpec, kinds: []string{"ValidatingAdmissionPolicyBinding"}, keys: byValue},
	{list: "volumeLifecycleModes", in: inSpec, kinds: []string{"CSIDriver"}, keys: byValue},
	{list: "addresses", in: []string{"endpoints"}, kinds: []string{"EndpointSlice"}, keys: byValue},
	{list: "values", in: []string{"onExitCodes", "exitCodes"}, keys: byValue},
	{list: "apiGroups", kinds: inFlowSchema, keys: byValue},
	{list: "namespaces", kinds: inFlowSchema, keys: byValue},
	{list: "nonResourceURLs", kinds: inFlowSchema, keys: byValue},
	{list: "resources", kinds: inFlowSchema, keys: byValue},
	{list: "verbs", kinds: inFlowSchema, keys: byValue},
}

// mergeKeys returns the keys by which the elements of the lists at the path are matched, nil if they are not. Elements that the keys do not
// tell apart are compared by index: the API server would refuse them.
func (c *comparison) mergeKeys(lists ...[]any) []mergeKey {
	if !c.builtIn {
		return nil
	}
	name, outer := lastNames(c.path)
	if c.path[len(c.path)-1].inList {
		return nil // a list of lists
	}
	for _, rule := range listRules {
		if rule.list != name || rule.in != nil && !slices.Contains(rule.in, outer) || rule.kinds != nil && !slices.Contains(rule.kinds, c.kind.Kind) {
			continue
		}
		if !slices.ContainsFunc(lists, func(list []any) bool { return !toldApart(list, rule.keys) }) {
			return rule.keys
		}
	}
	return nil
}

func toldApart(list []any, keys []mergeKey) bool {
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		key := keyOf(element, keys)
		if key == "" || seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

func isSet(keys []mergeKey) bool { return len(keys) == 1 && keys[0].field == "" }

// keyOf writes the values of an element's key fields; nothing if one is missing.
func keyOf(element any, keys []mergeKey) string {
	if isSet(keys) {
		text, ok := keyText(element)
		if !ok {
			return ""
		}
		return "=" + text
	}
	fields, ok := element.(map[string]any)
	if !ok {
		return ""
	}
	if len(keys) == 1 {
		text, _ := keyText(fields[keys[0].field])
		return text
	}
	parts := make([]string, len(keys))
	for i, key := range keys {
		text, ok := keyText(fields[key.field])
		if !ok {
			text = key.absent
		}
		if text == "" {
			return ""
		}
		parts[i] = text
	}
	return strings.Join(parts, "\x00")
}

// keyText writes a scalar of a key.
func keyText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case int64:
		return strconv.FormatInt(value, 10), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	case int:
		return strconv.Itoa(value), true
	case json.Number:
		return value.String(), true
	default:
		return "", false
	}
}
