package diff

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

// isSameScalar reports whether an API server stores two values of a type as the same text. Without a known type, it returns false: the API server keeps values
// as written.
func isSameScalar(t Type, desired, live any) bool {
	return isForm(t, FormQuantity) && isSameQuantity(desired, live, resource.Nano) || isForm(t, FormBytes) && isSameBytes(desired, live)
}

// isSameResource reports whether an API server stores two values of a resource list, a map of quantities, as the same text: it rounds them up to a
// thousandth. It stores other quantities exactly, also those in the maps of quantities of the groups node.k8s.io and resource.k8s.io.
func (w *walk) isSameResource(list Type, desired, live any) bool {
	switch w.kind.Group {
	case "", "apps", "batch", "storage.k8s.io":
		return isForm(list, FormMap) && isForm(list.Field(""), FormQuantity) && isSameQuantity(desired, live, resource.Milli)
	}
	return false
}

// isSameQuantity reports whether two quantities, rounded up to a multiple of the scale, have the same text in the notation of an API server. This is true for
// 1000m and 1, but not for 1073741824 and 1Gi, because an API server keeps binary suffixes.
func isSameQuantity(desired, live any, scale resource.Scale) bool {
	a, okA := canonicalQuantity(desired, scale)
	b, okB := canonicalQuantity(live, scale)
	return okA && okB && a == b
}

func canonicalQuantity(value any, scale resource.Scale) (string, bool) {
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case int64:
		text = strconv.FormatInt(value, 10)
	case int:
		text = strconv.Itoa(value)
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	case json.Number:
		text = value.String()
	default:
		return "", false
	}
	parsed, err := quantity.Parse(text)
	if err != nil {
		return "", false
	}
	parsed.RoundUp(scale)
	number, suffix := parsed.CanonicalizeBytes(make([]byte, 0, 32))
	return string(number) + string(suffix), true
}

// isSameBytes reports whether two texts are the same bytes in base64, which may contain line breaks.
func isSameBytes(desired, live any) bool {
	a, okA := desired.(string)
	b, okB := live.(string)
	if !okA || !okB {
		return false
	}
	decodedA, errA := base64.StdEncoding.DecodeString(a)
	decodedB, errB := base64.StdEncoding.DecodeString(b)
	return errA == nil && errB == nil && bytes.Equal(decodedA, decodedB)
}
