package convert

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// maxName is the longest name of a FederatedObject.
const maxName = 253

// FederatedName is the name of the FederatedObject of an object, by the FederatedTypeConfig of its kind: in lower case and without what names may
// not have, with a hash of the name where that has changed it, or where it is too long.
func FederatedName(name, config string) string {
	clean, changed := sanitized(name)
	out := clean + "-" + config
	if changed {
		out += fmt.Sprintf("-%d", hashed(name))
	}
	if len(out) > maxName {
		suffix := fmt.Sprintf("-%d", hashed(out))
		out = out[:maxName-len(suffix)] + suffix
	}
	return out
}

func sanitized(name string) (clean string, changed bool) {
	var b strings.Builder
	dot := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-':
		case c >= 'A' && c <= 'Z':
			c, changed = c-'A'+'a', true
		default:
			c, changed = '.', true
		}
		if c == '.' && dot {
			changed = true
			continue
		}
		dot = c == '.'
		b.WriteByte(c)
	}
	return b.String(), changed
}

func hashed(text string) uint32 {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(text)) // which never fails
	return sum.Sum32()
}
