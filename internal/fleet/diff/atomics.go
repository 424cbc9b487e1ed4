package diff

import "slices"

// The API server sets defaults even inside values that an apply replaces as a whole. A [Schema] does not list these defaults.

const (
	admissionRegistration = "admissionregistration.k8s.io"
	resourceGroup         = "resource.k8s.io"
)

type defaultInAtomic struct {
	// group is the API group of the kinds that have the default; empty for all groups.
	group string
	// in lists the names of the enclosing fields in which the default applies; nil for all.
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

// derivedFields are the fields that the API server derives from other fields or sets on each write, so their values cannot be predicted.
var derivedFields = []string{"default", "defaultRequest", "timeAdded"}

// isExtra reports whether a write would remove a field that only the member has, inside a map or structure that is replaced as a whole. around is the type of
// this map or structure. For a derived value, and for an empty value other than null, isExtra returns false and makes the result doubtful.
func (w *walk) isExtra(around Type, field string, value any) bool {
	_, outer := lastNames(w.path)
	if known, found := defaultsInAtomics[field]; found && known.applies(w.kind.Group, outer) && equal(known.value, value) {
		return false
	}
	switch {
	case field == "status" && outer == "volumeClaimTemplates": // the API server drops it
		return false
	case isForm(around, FormMap):
		return true
	}
	if slices.Contains(derivedFields, field) || isDropped(fieldOf(around, field), value) {
		w.doubtful = w.doubtful || value != nil
		return false
	}
	return true
}

// allocatedFields are the fields of a Service in which the API server keeps the allocated value if the manifest leaves them empty.
var allocatedFields = []string{"clusterIP", "nodePort", "healthCheckNodePort"}

// isAllocated reports whether the API server allocates the value of a Service's field, because the manifest leaves the field empty.
func (w *walk) isAllocated(t Type, field string, desired any) bool {
	return w.kind.Group == "" && w.kind.Kind == "Service" && slices.Contains(allocatedFields, field) && isDropped(t, desired)
}
