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
	// maxAlike is how many objects of one kind and namespace have a digest each. More of them have one together.
	maxAlike = 10
	// digestLength is the length of the hash in a digest.
	digestLength = 8
	// masked stands for every value of a Secret in what is hashed.
	masked = "(sensitive value)"
)

// Digests returns a digest of each object in the texts, by what people call the object: "ConfigMap web/settings". A digest is a short hash of the
// object. Many objects of one kind and namespace have one digest, under a name such as "ConfigMap web/*". A text that cannot be read has one under its key.
//
// The values of Secrets are not in the hash, which a weak value does not resist. A digest counts instead how often they have changed. before are the texts
// of the last time, and digests is what Digests returned for them; both are empty the first time.
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

// digestUnit is what has one digest.
type digestUnit struct {
	// contents are the objects without the values of Secrets.
	contents []any
	// secrets are the values of Secrets in the objects.
	secrets    map[secretValue]any
	unreadable bool
}

func newDigestUnits(texts map[string]string) map[string]*digestUnit {
	found := map[Key][]map[string]any{}
	out := map[string]*digestUnit{}
	for _, source := range slices.Sorted(maps.Keys(texts)) {
		objects, err := decodeObjects(texts[source])
		if err != nil {
			out[source] = &digestUnit{unreadable: true}
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

// decodeObjects decodes the objects of a text, however incomplete they are.
func decodeObjects(text string) ([]map[string]any, error) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isUnwritten) {
		return nil, errors.New("this is not YAML")
	}
	documents, err := decodeDocuments("", text)
	var out []map[string]any
	for _, d := range documents {
		out = append(out, itemsOf(d.value, 0)...)
	}
	return out, err
}

// itemsOf returns a decoded document, or the items of a List.
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

// keyOf names an object, however incomplete it is.
func keyOf(object map[string]any) Key {
	u := unstructured.Unstructured{Object: object}
	gvk := u.GroupVersionKind()
	return Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// add adds an object, which it changes.
func (u *digestUnit) add(object map[string]any) {
	secretWalk(func(at secretValue, value any) any {
		u.secrets[at] = value
		return masked
	}).object(object)
	u.contents = append(u.contents, object)
}

func (u *digestUnit) digest(version int) string {
	if u.unreadable {
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

var secretVersionText = regexp.MustCompile(`\(secret values: version (\d+)\)$`)

// secretVersion reads the count in a digest; 0 for none.
func secretVersion(digest string) int {
	found := secretVersionText.FindStringSubmatch(digest)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}
