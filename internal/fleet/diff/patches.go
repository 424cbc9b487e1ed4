package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const wholeObject = "(the whole object)"

// Patches returns the differences between the object to place and the object on the member exactly as KubeFleet's status shows them: the first
// [placement.MaxPatchDetails] operations of the JSON patch from one stripped object to the other, with the values in Go's default format. For
// desired, see [Full].
//
// The result includes KubeFleet's oddities. Lists are compared by index. All elements that only the member has are at "-". Elements that the member lacks come
// first. Each of them has the index after the member's last element, and the desired element at that index as its value. Numbers of the member are floats, so a
// million is 1e+06; numbers of the hub are not. One deviation: copies of a Secret in annotations are redacted like its data.
func Patches(desired, live *unstructured.Unstructured) []placement.PatchDetail {
	w := walk{secrets: secretsOf(desired, live), patching: true}
	w.compareMaps(nil, Strip(desired), Strip(live), false)
	return w.patches
}

func (w *walk) addPatch(path string, hub any, hasHub bool, member any, hasMember bool) {
	detail := placement.PatchDetail{Path: path}
	if hasHub {
		detail.ValueInHub = w.formatPatched(path, hub)
	}
	if hasMember {
		detail.ValueInMember = w.formatPatched(path, decodeNumbers(member))
	}
	w.patches = append(w.patches, detail)
	w.patching = len(w.patches) < placement.MaxPatchDetails
}

func (w *walk) patchMissing(desired []any, end int) {
	for range desired[end:] {
		if !w.patching {
			return
		}
		w.enter(step{inList: true, index: end})
		w.addPatch(formatPointer(w.path), desired[end], true, nil, false)
		w.leave()
	}
}

// formatPatched formats a value as KubeFleet does. An empty text stays empty, even in a Secret: it discloses nothing.
func (w *walk) formatPatched(path string, value any) string {
	text := fmt.Sprint(value)
	if text != "" && w.secrets.isSecret(path, value) {
		return Redacted
	}
	return text
}

// decodeNumbers converts numbers to float64, as encoding/json decodes them. Unstructured objects also contain int64.
func decodeNumbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[key] = decodeNumbers(element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = decodeNumbers(element)
		}
		return out
	default:
		if number, ok := number(value); ok {
			return number
		}
		return value
	}
}

func unionKeys(a, b map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(a)), maps.Keys(a))
	for key := range b {
		if _, known := a[key]; !known {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

var (
	pointerEscapes   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")
)
