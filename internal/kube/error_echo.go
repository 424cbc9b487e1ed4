package kube

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxEcho is the maximum length in bytes of a rejected value that an error message repeats.
const maxEcho = 120

// withoutEcho returns the message of an API server without long rejected values, and without the prefix of a message that names no object. When an API
// server rejects a patch, its message repeats the whole object, and omits the kind and the name.
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

// leadingValue returns the value at the beginning of a text, as field errors write it: a quoted Go string, a JSON object or a JSON list. It returns "" if
// there is none.
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
