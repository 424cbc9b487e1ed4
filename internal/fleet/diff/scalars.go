package diff

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

// sameScalar tells whether an API server writes two values of a type in the same way. Where no type is known, it keeps what was written.
func sameScalar(t Type, desired, live any) bool {
	return isForm(t, FormQuantity) && sameQuantity(desired, live) || isForm(t, FormBytes) && sameBytes(desired, live)
}

// sameQuantity tells whether an API server writes two quantities in the same way: 1000m and 1, for instance, but not 1073741824 and 1Gi, since
// powers of two stay what they are.
func sameQuantity(desired, live any) bool {
	a, okA := canonicalQuantity(desired)
	b, okB := canonicalQuantity(live)
	return okA && okB && a == b
}

// canonicalQuantity writes a quantity as an API server does. What is less than a thousandth is rounded up.
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

// sameBytes tells whether two texts are the same bytes in base64, which may hold line breaks.
func sameBytes(desired, live any) bool {
	a, okA := desired.(string)
	b, okB := live.(string)
	if !okA || !okB {
		return false
	}
	decodedA, errA := base64.StdEncoding.DecodeString(a)
	decodedB, errB := base64.StdEncoding.DecodeString(b)
	return errA == nil && errB == nil && bytes.Equal(decodedA, decodedB)
}
