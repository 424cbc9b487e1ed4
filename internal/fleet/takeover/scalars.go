package takeover

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// sameQuantity tells whether two values that are written differently are one quantity: 1000m and 1, for instance. Custom resources keep
// what was written.
func (c *comparison) sameQuantity(desired, live any) bool {
	if !c.isQuantity() {
		return false
	}
	a, okA := parseQuantity(desired)
	b, okB := parseQuantity(live)
	return okA && okB && a.Cmp(b) == 0
}

func parseQuantity(value any) (resource.Quantity, bool) {
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
		return resource.Quantity{}, false
	}
	quantity, err := resource.ParseQuantity(text)
	return quantity, err == nil
}

// sameBytes tells whether two texts are the same bytes in base64, which may hold line breaks.
func (c *comparison) sameBytes(desired, live any) bool {
	if !c.isBase64() {
		return false
	}
	a, okA := desired.(string)
	b, okB := live.(string)
	if !okA || !okB {
		return false
	}
	decodedA, errA := base64.StdEncoding.DecodeString(a)
	decodedB, errB := base64.StdEncoding.DecodeString(b)
	return errA == nil && errB == nil && bytes.Equal(decodedA, decodedB)
}
