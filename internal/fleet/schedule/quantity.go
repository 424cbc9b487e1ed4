package schedule

import "k8s.io/apimachinery/pkg/api/resource"

// compare works on copies, because Quantity.Cmp may change how its receiver is stored.
func compare(a, b resource.Quantity) int { return a.Cmp(b) }
