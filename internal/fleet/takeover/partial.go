package takeover

import (
	"encoding/base64"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ComparePartialLocal lists the fields of desired that the object on the member does not have, without the help of an API server: what
// KubeFleet's partial comparison would find, as far as it can be known without a dry run.
//
// Fields that only the member has do not count. Lists of the built-in kinds are matched by their merge key where they have one; all other
// lists must be equal in length and, element by element, cover what is desired. Quantities are compared by value, stringData with data. A
// null, an empty map and an empty list ask for nothing. The built-in kinds drop zero values that are also the default, so there a zero
// equals an absent field.
func ComparePartialLocal(desired, live *unstructured.Unstructured) []Difference {
	c := comparison{kind: desired.GroupVersionKind().GroupKind()}
	source, _ := canonical(withData(c.kind, Strip(desired))).(map[string]any)
	target, _ := canonical(withData(c.kind, Strip(live))).(map[string]any)
	c.compareMaps(nil, source, target)
	return redacted(c.differences, desired, live)
}

// Covers tells whether the object on the member has every field of desired, as [ComparePartialLocal] sees it.
func Covers(desired, live *unstructured.Unstructured) bool {
	return len(ComparePartialLocal(desired, live)) == 0
}

// withData moves a Secret's stringData where the API server moves it.
func withData(kind schema.GroupKind, object map[string]any) map[string]any {
	texts, ok := object["stringData"].(map[string]any)
	if !ok || kind != (schema.GroupKind{Kind: "Secret"}) {
		return object
	}
	data, ok := object["data"].(map[string]any)
	if !ok {
		data = map[string]any{}
	}
	for key, value := range texts {
		if text, ok := value.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	delete(object, "stringData")
	object["data"] = data
	return object
}

type comparison struct {
	kind        schema.GroupKind
	differences []Difference
}

// builtIn tells the kinds of which Kubernetes' own types are known; the schema of others is not.
func (c *comparison) builtIn() bool {
	return !strings.Contains(c.kind.Group, ".") || strings.HasSuffix(c.kind.Group, ".k8s.io")
}

// different notes a field that the member has with another value.
func (c *comparison) different(path []string, desired, live any) {
	c.differences = append(c.differences, Difference{
		Path: pointer(path), InHub: plain(desired), HasHub: true, InMember: plain(live), HasMember: true,
	})
}

// missing notes a field that the member does not have, unless nothing is missing.
func (c *comparison) missing(path []string, desired any) {
	if c.asksForNothing(desired) {
		return
	}
	c.differences = append(c.differences, Difference{Path: pointer(path), InHub: plain(desired), HasHub: true})
}

func (c *comparison) compare(path []string, desired, live any) {
	switch desired := desired.(type) {
	case nil:
		return
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.compareMaps(path, desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.compareLists(path, desired, live)
			return
		}
	default:
		if reflect.DeepEqual(desired, live) || c.sameQuantity(path, desired, live) || c.sameBytes(path, desired, live) {
			return
		}
	}
	if live == nil {
		c.missing(path, desired)
		return
	}
	c.different(path, desired, live)
}

func (c *comparison) compareMaps(path []string, desired, live map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		c.compare(append(slices.Clip(path), key), desired[key], live[key])
	}
}

func (c *comparison) compareLists(path []string, desired, live []any) {
	if keys := c.mergeKeys(path, desired, live); keys != nil {
		c.compareByKey(path, desired, live, keys)
		return
	}
	at := func(i int) []string { return append(slices.Clip(path), strconv.Itoa(i)) }
	for i, element := range desired {
		if i < len(live) {
			c.compare(at(i), element, live[i])
			continue
		}
		// An element that is missing counts even if it is empty: the list has another length.
		c.differences = append(c.differences, Difference{Path: pointer(at(i)), InHub: plain(element), HasHub: true})
	}
	for _, element := range live[min(len(desired), len(live)):] {
		c.differences = append(c.differences, Difference{
			Path: pointer(append(slices.Clip(path), "-")), InMember: plain(element), HasMember: true,
		})
	}
}

// compareByKey compares every desired element with the one of the same key; others on the member do not count.
func (c *comparison) compareByKey(path []string, desired, live []any, keys []mergeKey) {
	indexes := map[string]int{}
	for i, element := range live {
		indexes[keyOf(element, keys)] = i
	}
	added := 0
	for _, element := range desired {
		i, found := indexes[keyOf(element, keys)]
		if !found {
			// A dry run would append it.
			i = len(live) + added
			added++
			c.differences = append(c.differences, Difference{
				Path: pointer(append(slices.Clip(path), strconv.Itoa(i))), InHub: plain(element), HasHub: true,
			})
			continue
		}
		c.compare(append(slices.Clip(path), strconv.Itoa(i)), element, live[i])
	}
}

// asksForNothing tells the values that an object without the field has as well.
func (c *comparison) asksForNothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, element := range value {
			if !c.asksForNothing(element) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	default:
		return c.builtIn() && isZero(value)
	}
}
