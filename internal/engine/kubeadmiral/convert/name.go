package convert

import (
	"fmt"
	"hash/fnv"
	"strings"
)

const maxName = 253

// FederatedName returns the name of the FederatedObject of an object. config is the name of the FederatedTypeConfig of its kind. The result is in lower case,
// without characters that names do not allow. It ends with a hash if characters were replaced, or if the name would be too long.
func FederatedName(name, config string) string {
	clean, changed := sanitize(name)
	out := clean + "-" + config
	if changed {
		out += fmt.Sprintf("-%d", hashText(name))
	}
	if len(out) > maxName {
		suffix := fmt.Sprintf("-%d", hashText(out))
		out = out[:maxName-len(suffix)] + suffix
	}
	return out
}

func sanitize(name string) (clean string, changed bool) {
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

func hashText(text string) uint32 {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(text)) // Write of a hash never fails
	return sum.Sum32()
}
