package override

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
)

// problemOfEscapes returns the problem of the escapes in a JSON pointer (RFC 6901, section 3), or "". A hub does not check the escapes.
func problemOfEscapes(path string) string {
	for rest := path; ; {
		_, after, found := strings.Cut(rest, "~")
		switch {
		case !found:
			return ""
		case !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1"):
			return "in a JSON pointer, ~ must be followed by 0 or 1: write ~0 for ~, and ~1 for /"
		}
		rest = after
	}
}

// problemOfLabels returns why an API server rejects the labels or annotations after a patch, or "". The message contains no value, and no key
// of a sensitive value.
func problemOfLabels(p Patch) string {
	parts := strings.Split(p.Path, "/")
	if p.Operation == Remove || len(parts) < 3 || len(parts) > 4 || parts[0] != "" || parts[1] != "metadata" || !json.Valid(p.Value) {
		return ""
	}
	if parts[2] != "labels" && parts[2] != "annotations" {
		return ""
	}
	noun := strings.TrimSuffix(parts[2], "s")
	if len(parts) == 4 {
		return problemOfText(noun, p.Value)
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(p.Value, &all) != nil {
		return fmt.Sprintf("%s are an object of strings: write jsonencode({ KEY = \"VALUE\" })", parts[2])
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		switch problem := problemOfText(noun, all[key]); {
		case problem == "":
		case p.Sensitive:
			return "the value of one of its keys: " + problem
		default:
			return fmt.Sprintf("key %q: %s", key, problem)
		}
	}
	return ""
}

// problemOfText returns why a value is invalid for a label or an annotation, or "". It accepts every label value with "${", because the value of a variable is
// not known.
func problemOfText(noun string, value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil || strings.TrimSpace(string(value)) == "null" {
		return noun + " values are strings: write jsonencode(\"...\"), with quotes around a number, true or false"
	}
	if problem := naming.LabelValue(text); noun == "label" && problem != "" && !strings.Contains(text, "${") {
		return "this is not the value of a label: " + problem
	}
	return ""
}
