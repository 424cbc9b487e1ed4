package takeover

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityMaps are the maps of the built-in kinds whose values are quantities: of containers and claims, ResourceQuotas, volumes,
// LimitRanges and RuntimeClasses.
var quantityMaps = []string{
	"limits", "requests", "hard", "capacity", "default", "defaultRequest", "max", "min", "maxLimitRequestRatio", "overhead", "podFixed",
}

// quantityFields are single quantities: of emptyDir volumes, resource field references and, in autoscalers only, metrics.
var (
	quantityFields   = []string{"sizeLimit", "divisor"}
	autoscalerFields = []string{"value", "averageValue"}
)

// sameQuantity tells whether two values that are written differently are one quantity: 1000m and 1, for instance. Custom resources keep
// what was written, and in the schemas of their definitions the same words mean other things.
func (c *comparison) sameQuantity(path []string, desired, live any) bool {
	if !c.builtIn() || c.kind.Group == "apiextensions.k8s.io" || len(path) == 0 {
		return false
	}
	field := path[len(path)-1]
	known := slices.Contains(quantityFields, field) ||
		len(path) > 1 && slices.Contains(quantityMaps, path[len(path)-2]) ||
		c.kind.Kind == "HorizontalPodAutoscaler" && slices.Contains(autoscalerFields, field)
	if !known {
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
	case json.Number:
		text = value.String()
	default:
		return resource.Quantity{}, false
	}
	quantity, err := resource.ParseQuantity(text)
	return quantity, err == nil
}

// sameBytes tells whether two texts are the same bytes in base64, which may hold line breaks.
func (c *comparison) sameBytes(path []string, desired, live any) bool {
	inData := len(path) == 2 && (path[0] == "data" && c.kind.Kind == "Secret" || path[0] == "binaryData" && c.kind.Kind == "ConfigMap")
	if c.kind.Group != "" || !inData {
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

// isZero tells the values that the types of the built-in kinds leave out when they are written.
func isZero(value any) bool {
	return value == "" || value == false || value == json.Number("0")
}
