package manifest

import (
	"encoding/json"
	"slices"
	"strconv"
)

// appendJSON encodes a JSON value as encoding/json does, with sorted keys, in a quarter of the time, because it does not use reflection. It
// delegates values that are uncommon in Kubernetes objects to encoding/json.
func appendJSON(to []byte, value any) []byte {
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return append(to, "null"...)
		}
		return appendMap(to, value)
	case []any:
		if value == nil {
			return append(to, "null"...)
		}
		to = append(to, '[')
		for i, element := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, element)
		}
		return append(to, ']')
	case string:
		return appendString(to, value)
	case int64:
		return strconv.AppendInt(to, value, 10)
	case bool:
		return strconv.AppendBool(to, value)
	case nil:
		return append(to, "null"...)
	default:
		return appendOther(to, value)
	}
}

func appendMap(to []byte, value map[string]any) []byte {
	var buffer [16]string
	keys := buffer[:0]
	for key := range value {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	to = append(to, '{')
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendString(to, key), ':')
		to = appendJSON(to, value[key])
	}
	return append(to, '}')
}

func appendString(to []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return appendOther(to, text)
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"')
}

// appendOther ignores the error, because encoding/json can encode every value in decoded YAML and JSON.
func appendOther(to []byte, value any) []byte {
	text, _ := json.Marshal(value)
	return append(to, text...)
}
