package schedule

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// exponentDigits bounds the exponent of a quantity. Quantities are compared exactly, which takes ages for two whose exponents are millions
// apart; a float is infinite long before.
const exponentDigits = 4

var errExponent = errors.New("its exponent is out of all bounds")

// parseQuantity reads a quantity such as 4, 500m, 16Gi or 1e3.
func parseQuantity(text string) (resource.Quantity, error) {
	if at := strings.LastIndexAny(text, "eE"); at >= 0 {
		if exponent := strings.TrimLeft(text[at+1:], "+-0"); len(exponent) > exponentDigits {
			return resource.Quantity{}, errExponent
		}
	}
	return resource.ParseQuantity(text)
}

// compare works on copies, because Quantity.Cmp may change how its receiver is stored.
func compare(a, b resource.Quantity) int { return a.Cmp(b) }
