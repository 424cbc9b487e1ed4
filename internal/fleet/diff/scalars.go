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
	return isForm(t, FormQuantity) && isSameQuantity(desired, live) || isForm(t, FormBytes) && isSameBytes(desired, live)
}

// isSameQuantity reports whether an API server stores two quantities as the same text: 1000m and 1, for instance, but not 1073741824 and 1Gi, because it keeps
// binary suffixes.
func isSameQuantity(desired, live any) bool {
	a, okA := canonicalQuantity(desired)
	b, okB := canonicalQuantity(live)
	return okA && okB && a == b
}

// canonicalQuantity rounds up to a thousandth, as an API server does.
func canonicalQuantity(value any) (string, bool) {
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
	parsed.RoundUp(resource.Milli)
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
