package diff

import "slices"

// What an API server fills in within what it has replaced as a whole is in no schema of types.

const (
	admissionRegistration = "admissionregistration.k8s.io"
	resourceGroup         = "resource.k8s.io"
)

// defaultInAtomic is what the API server adds within what it has replaced as a whole.
type defaultInAtomic struct {
	// group is the API group of the kinds in which it does; empty for any.
	group string
	// in are the fields around it; nil for any.
	in    []string
	value any
}

func (d defaultInAtomic) applies(group, outer string) bool {
	return (d.group == "" || d.group == group) && (d.in == nil || slices.Contains(d.in, outer))
}

var defaultsInAtomics = map[string]defaultInAtomic{
	"allocationMode":    {group: resourceGroup, value: "ExactCount"},
	"count":             {group: resourceGroup, value: int64(1)},
	"operator":          {group: resourceGroup, value: "Equal"},
	"matchPolicy":       {group: admissionRegistration, value: "Equivalent"},
	"namespaceSelector": {group: admissionRegistration, value: map[string]any{}},
	"objectSelector":    {group: admissionRegistration, value: map[string]any{}},
	"scope":             {group: admissionRegistration, value: "*"},
	"apiGroup":          {group: "rbac.authorization.k8s.io", value: "rbac.authorization.k8s.io"},
	"apiVersion":        {in: []string{"fieldRef", "volumeClaimTemplates"}, value: "v1"},
	"kind":              {in: []string{"volumeClaimTemplates"}, value: "PersistentVolumeClaim"},
	"volumeMode":        {value: "Filesystem"},
	"divisor":           {value: "0"},
	"expirationSeconds": {value: int64(3600)},
	"protocol":          {value: "TCP"},
}

// derivedInAtomics are the fields that the API server derives from others, or fills in when it writes: there is no telling which value they
// would have.
var derivedInAtomics = []string{"default", "defaultRequest", "timeAdded"}

// isExtra tells whether a field that only the member has, within a map or structure that is replaced as a whole, would be lost.
func (c *comparison) isExtra(around Type, field string, value any) bool {
	_, outer := lastNames(c.path)
	if known, found := defaultsInAtomics[field]; found && known.applies(c.kind.Group, outer) && equal(known.value, value) {
		return false
	}
	switch {
	case field == "status" && outer == "volumeClaimTemplates": // what is written there is dropped
		return false
	case isForm(around, FormMap):
		return true
	}
	if slices.Contains(derivedInAtomics, field) || isNothing(fieldOf(around, field), value) {
		c.doubtful = c.doubtful || value != nil
		return false
	}
	return true
}

// allocated are the fields of a Service for which the API server keeps what it has allocated if they are left empty.
var allocated = []string{"clusterIP", "nodePort", "healthCheckNodePort"}

// isAllocated tells the fields of a Service that are left to the API server.
func (c *comparison) isAllocated(t Type, field string, desired any) bool {
	return c.kind.Group == "" && c.kind.Kind == "Service" && slices.Contains(allocated, field) && isNothing(t, desired)
}
