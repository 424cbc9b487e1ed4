package manifest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// maxAlike is the maximum number of objects of one kind and namespace with separate digests. More objects share one digest.
	maxAlike     = 10
	digestLength = 8
	maskedValue  = "(sensitive value)"
)

// Digests returns a digest of each object in the texts, by the object's display name: "ConfigMap web/settings". A digest is a short hash of the object. If
// there are more than maxAlike objects of one kind and namespace, they share a digest with a name such as "ConfigMap web/*". A text that cannot be parsed has
// the digest "(not readable)" under the key of the text.
//
// The hash excludes the values of Secrets, because a hash does not protect a weak value. Instead, a digest contains a version of the values,
// which starts at 1 and increases with each change. before are the previous texts, and digests the result of Digests for them; both are empty the first time.
func Digests(texts, before, digests map[string]string) map[string]string {
	now, was := newDigestUnits(texts), map[string]*digestUnit{}
	if slices.ContainsFunc(slices.Collect(maps.Values(texts)), mayHoldSecret) {
		was = newDigestUnits(before)
	}
	out := make(map[string]string, len(now))
	for name, unit := range now {
		version := max(secretVersion(digests[name]), 1)
		if old, known := was[name]; known && !reflect.DeepEqual(old.secrets, unit.secrets) {
			version++
		}
		out[name] = unit.digest(version)
	}
	return out
}

// digestUnit is one object, or all objects that share a digest.
type digestUnit struct {
	// contents are the objects without the values of Secrets.
	contents     []any
	secrets      map[secretValue]any
	isUnreadable bool
}

func newDigestUnits(texts map[string]string) map[string]*digestUnit {
	found := map[Key][]map[string]any{}
	out := map[string]*digestUnit{}
	for _, source := range slices.Sorted(maps.Keys(texts)) {
		objects, err := decodeObjects(texts[source])
		if err != nil {
			out[source] = &digestUnit{isUnreadable: true}
			continue
		}
		for _, object := range objects {
			found[keyOf(object)] = append(found[keyOf(object)], object)
		}
	}
	alike := map[Key]int{}
	for key, objects := range found {
		key.Name = "*"
		alike[key] += len(objects)
	}
	for _, key := range slices.SortedFunc(maps.Keys(found), Key.Compare) {
		name, all := key.String(), key
		if all.Name = "*"; alike[all] > maxAlike {
			name = all.String()
		}
		if out[name] == nil {
			out[name] = &digestUnit{secrets: map[secretValue]any{}}
		}
		for _, object := range found[key] {
			out[name].add(object)
		}
	}
	return out
}

func decodeObjects(text string) ([]map[string]any, error) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isEscapeOnly) {
		return nil, errors.New("this is not YAML")
	}
	documents, err := decodeDocuments("", text)
	var out []map[string]any
	for _, d := range documents {
		out = append(out, itemsOf(d.value, 0)...)
	}
	return out, err
}

// itemsOf returns the items of a List and of the Lists in it, or any other document itself. It returns a value that is not a map as the only field of a map.
func itemsOf(value any, depth int) []map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{"": value}
	}
	items, ok := object["items"].([]any)
	if object["kind"] != "List" || !ok || depth == maxListDepth {
		return []map[string]any{object}
	}
	var out []map[string]any
	for _, item := range items {
		out = append(out, itemsOf(item, depth+1)...)
	}
	return out
}

// keyOf accepts incomplete objects.
func keyOf(object map[string]any) Key {
	u := unstructured.Unstructured{Object: object}
	gvk := u.GroupVersionKind()
	return Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

func (u *digestUnit) add(object map[string]any) {
	secretWalk(func(at secretValue, value any) any {
		u.secrets[at] = value
		return maskedValue
	}).walkObject(object)
	u.contents = append(u.contents, object)
}

func (u *digestUnit) digest(version int) string {
	if u.isUnreadable {
		return unreadable
	}
	text := Hash(map[string]any{"": u.contents})[:digestLength]
	if n := len(u.contents); n > 1 {
		text = fmt.Sprintf("%d objects, %s", n, text)
	}
	if len(u.secrets) > 0 {
		text += fmt.Sprintf(" (secret values: version %d)", version)
	}
	return text
}

var secretVersionPattern = regexp.MustCompile(`\(secret values: version (\d+)\)$`)

func secretVersion(digest string) int {
	found := secretVersionPattern.FindStringSubmatch(digest)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}
