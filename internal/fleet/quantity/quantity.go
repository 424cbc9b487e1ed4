// Package quantity parses Kubernetes quantities from unverified texts: a configuration, or data from a cluster.
package quantity

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// maxLength and exponentDigits limit a quantity. Quantities are parsed and compared exactly, which takes very long if the exponent is in
	// the millions. Kubernetes itself limits quantities to 2^63-1.
	maxLength      = 256
	exponentDigits = 3
)

var (
	errExponent = errors.New("its exponent is out of range")
	errLength   = errors.New("it is too long")
)

// Parse parses a quantity such as 4, 500m, 16Gi or 1e3. It is fast for any text.
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
