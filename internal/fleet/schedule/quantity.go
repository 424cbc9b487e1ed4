package schedule

import "k8s.io/apimachinery/pkg/api/resource"

// compareQuantities compares copies, because Quantity.Cmp may change its receiver's representation.
func compareQuantities(a, b resource.Quantity) int { return a.Cmp(b) }
