package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// wholeObject is KubeFleet's text for an object that the member does not have.
const wholeObject = "(the whole object)"

// Patches returns the differences between the object to place and the object on the member exactly as KubeFleet's status shows them: the first
// [placement.MaxPatchDetails] operations of the JSON patch from one stripped object to the other, with the values in Go's default format.
// Desired has the meaning it has for [Full].
//
// The result includes KubeFleet's oddities. Lists are compared by index. All elements that only the member has are at "-". Elements that the
// member lacks come first, all at the index after the member's last element and each with the value that the desired list has there. Numbers
// of the member are floats, so a million is 1e+06; numbers of the hub are not. One deviation: copies of a Secret in annotations are redacted
// like its data.
func Patches(desired, live *unstructured.Unstructured) []placement.PatchDetail {
	return patches(secretsOf(desired, live), Strip(desired), Strip(live))
}

// patches compares two stripped objects.
func patches(hidden *secrets, desired, live map[string]any) []placement.PatchDetail {
	p := patcher{secrets: hidden}
	p.compareMaps(desired, live)
	return p.details
}

// patcher builds a JSON patch (RFC 6902) of add, remove and replace operations only.
type patcher struct {
	// path is the JSON pointer of the current value.
	path    []byte
	secrets *secrets
	details []placement.PatchDetail
}

func (p *patcher) isFull() bool { return len(p.details) == placement.MaxPatchDetails }

// within runs work at an inner path.
func (p *patcher) within(segment string, work func()) {
	length := len(p.path)
	p.path = append(p.path, '/')
	p.path = append(p.path, pointerEscapes.Replace(segment)...)
	work()
	p.path = p.path[:length]
}

func (p *patcher) compareMaps(desired, live map[string]any) {
	for _, key := range unionKeys(desired, live) {
		if p.isFull() {
			return
		}
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		if hasHub && hasMember && equal(hub, member) {
			continue
		}
		p.within(key, func() {
			if hasHub && hasMember {
				p.compareValues(hub, member)
				return
			}
			p.add(hub, hasHub, member, hasMember)
		})
	}
}

func (p *patcher) compareValues(desired, live any) {
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			p.compareMaps(desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			p.compareLists(desired, live)
			return
		}
	}
	if !equal(desired, live) {
		p.add(desired, true, live, true)
	}
}

func (p *patcher) compareLists(desired, live []any) {
	common := min(len(desired), len(live))
	for range desired[common:] {
		p.within(strconv.Itoa(common), func() { p.add(desired[common], true, nil, false) })
	}
	for i := range common {
		if p.isFull() {
			return
		}
		if !equal(desired[i], live[i]) {
			p.within(strconv.Itoa(i), func() { p.compareValues(desired[i], live[i]) })
		}
	}
	for _, element := range live[common:] {
		p.within("-", func() { p.add(nil, false, element, true) })
	}
}

// add records an operation at the path.
func (p *patcher) add(hub any, hasHub bool, member any, hasMember bool) {
	if p.isFull() {
		return
	}
	detail := placement.PatchDetail{Path: string(p.path)}
	if hasHub {
		detail.ValueInHub = p.format(hub)
	}
	if hasMember {
		detail.ValueInMember = p.format(decodeNumbers(member))
	}
	p.details = append(p.details, detail)
}

// format formats a value as KubeFleet does. An empty text stays empty, even in a Secret: it discloses nothing.
func (p *patcher) format(value any) string {
	text := fmt.Sprint(value)
	if text != "" && p.secrets.isSecret(string(p.path), value) {
		return Redacted
	}
	return text
}

// decodeNumbers converts numbers to the type that plain JSON decoding gives them, which differs from that of unstructured objects.
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

// unionKeys lists the keys of two maps, sorted and without duplicates.
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
