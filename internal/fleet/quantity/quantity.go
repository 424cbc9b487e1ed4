// Package quantity reads the quantities of Kubernetes from texts that nobody has checked: a configuration, or what a cluster says.
package quantity

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// maxLength and exponentDigits bound a quantity. Quantities are parsed and compared exactly, which takes ages for one whose exponent is
	// in the millions; Kubernetes itself caps them at 2^63-1.
	maxLength      = 256
	exponentDigits = 3
)

var (
	errExponent = errors.New("its exponent is out of all bounds")
	errLength   = errors.New("it is too long")
)

// Parse reads a quantity such as 4, 500m, 16Gi or 1e3, in little time whatever the text is.
func Parse(text string) (resource.Quantity, error) {
	if len(text) > maxLength {
		return resource.Quantity{}, errLength
	}
	if at := strings.LastIndexAny(text, "eE"); at >= 0 {
		if exponent := strings.TrimLeft(text[at+1:], "+-0"); len(exponent) > exponentDigits {
			return resource.Quantity{}, errExponent
		}
	}
	return resource.ParseQuantity(text)
}
