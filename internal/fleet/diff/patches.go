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

// wholeObject stands for an object that the member does not have, in KubeFleet's words.
const wholeObject = "(the whole object)"

// Patches tells the differences between an object that is to be placed and the one on the member word for word as KubeFleet's status does:
// the first [placement.MaxPatchDetails] operations of the JSON patch from the one to the other, both stripped, with the values in Go's
// default format. Desired is what it is for [Full].
//
// KubeFleet's oddities are part of it. Lists are compared by index. Elements that only the member has are all at "-". Elements that the
// member lacks come first, all at the index behind the member's last one and all with the value that the list to be placed has there.
// Numbers of the member are floats, so that a million is 1e+06, and ones of the hub are not. Only Secrets' copies in annotations are not as
// they are there: they are redacted like the data.
func Patches(desired, live *unstructured.Unstructured) []placement.PatchDetail {
	return patches(secretsOf(desired, live), Strip(desired), Strip(live))
}

// patches is the walk of two objects that are stripped.
func patches(hidden *secrets, desired, live map[string]any) []placement.PatchDetail {
	p := patcher{secrets: hidden}
	p.maps(desired, live)
	return p.details
}

// patcher makes a JSON patch (RFC 6902) of add, remove and replace operations only.
type patcher struct {
	// path is the JSON pointer of what is being compared.
	path    []byte
	secrets *secrets
	details []placement.PatchDetail
}

func (p *patcher) full() bool { return len(p.details) == placement.MaxPatchDetails }

// at works at an inner path.
func (p *patcher) at(segment string, work func()) {
	length := len(p.path)
	p.path = append(p.path, '/')
	p.path = append(p.path, pointerEscapes.Replace(segment)...)
	work()
	p.path = p.path[:length]
}

func (p *patcher) maps(desired, live map[string]any) {
	for _, key := range unitedKeys(desired, live) {
		if p.full() {
			return
		}
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		if hasHub && hasMember && equal(hub, member) {
			continue
		}
		p.at(key, func() {
			if hasHub && hasMember {
				p.values(hub, member)
				return
			}
			p.add(hub, hasHub, member, hasMember)
		})
	}
}

func (p *patcher) values(desired, live any) {
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			p.maps(desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			p.lists(desired, live)
			return
		}
	}
	if !equal(desired, live) {
		p.add(desired, true, live, true)
	}
}

func (p *patcher) lists(desired, live []any) {
	common := min(len(desired), len(live))
	for range desired[common:] {
		p.at(strconv.Itoa(common), func() { p.add(desired[common], true, nil, false) })
	}
	for i := range common {
		if p.full() {
			return
		}
		if !equal(desired[i], live[i]) {
			p.at(strconv.Itoa(i), func() { p.values(desired[i], live[i]) })
		}
	}
	for _, element := range live[common:] {
		p.at("-", func() { p.add(nil, false, element, true) })
	}
}

// add notes an operation at the path.
func (p *patcher) add(hub any, hasHub bool, member any, hasMember bool) {
	if p.full() {
		return
	}
	detail := placement.PatchDetail{Path: string(p.path)}
	if hasHub {
		detail.ValueInHub = p.format(hub)
	}
	if hasMember {
		detail.ValueInMember = p.format(decoded(member))
	}
	p.details = append(p.details, detail)
}

// format writes a value as KubeFleet does. An empty text stays empty, in a Secret as well: it tells nothing.
func (p *patcher) format(value any) string {
	text := fmt.Sprint(value)
	if text != "" && p.secrets.hides(string(p.path), value) {
		return Redacted
	}
	return text
}

// decoded gives numbers the type that they have in decoded JSON, where they were not decoded for an unstructured object.
func decoded(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, element := range value {
			out[key] = decoded(element)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = decoded(element)
		}
		return out
	default:
		if number, ok := number(value); ok {
			return number
		}
		return value
	}
}

// unitedKeys lists the keys of two maps, each once and in order.
func unitedKeys(a, b map[string]any) []string {
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
