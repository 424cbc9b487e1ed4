package kube

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxEcho is how many bytes of a refused value are repeated.
const maxEcho = 120

// withoutEcho is the message of an API server without the long values that it repeats before it says what is wrong with them. It repeats the
// whole object when it refuses a patch, of which it then names neither kind nor name.
func withoutEcho(message string) string {
	const before = "Invalid value: "
	message = strings.TrimPrefix(strings.TrimSpace(message), `"" is invalid: `)
	var out strings.Builder
	for {
		text, rest, found := strings.Cut(message, before)
		out.WriteString(text)
		if !found {
			return out.String()
		}
		out.WriteString(before)
		echo := leadingValue(rest)
		if len(echo) > maxEcho {
			out.WriteString("…")
		} else {
			out.WriteString(echo)
		}
		message = rest[len(echo):]
	}
}

// leadingValue is the value at the beginning of a text, which field errors write as a text in Go's quotes or as JSON; empty if it cannot be told.
func leadingValue(text string) string {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		return quoted
	}
	if text == "" || text[0] != '{' && text[0] != '[' {
		return ""
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var found json.RawMessage
	if err := decoder.Decode(&found); err != nil {
		return ""
	}
	return text[:decoder.InputOffset()]
}
