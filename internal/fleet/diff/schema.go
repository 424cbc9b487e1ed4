package diff

import "slices"

// builtInGroups are the API groups of Kubernetes itself. Others end in k8s.io as well and are custom resources, the Gateway API for one.
var builtInGroups = []string{
	"", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps", "authentication.k8s.io",
	"authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io",
	"extensions", "flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
}

const apiExtensions = "apiextensions.k8s.io"

func isBuiltIn(group string) bool { return slices.Contains(builtInGroups, group) }

// What an object of a built-in kind holds when a field is left out or empty follows from the Go type of the field: texts, numbers and
// booleans that are no pointers are dropped when they are zero, and so are empty lists and maps, while an empty structure is kept if it is
// a pointer, as most are. The lists below are the few on the shorter side, by the types of Kubernetes 1.37.
var (
	// keptTexts are texts that are pointers: an empty one is not the same as none.
	keptTexts = []string{
		"storageClassName", "volumeAttributesClassName", "ingressClassName", "runtimeClassName", "loadBalancerClass", "hostnameOverride",
	}
	// droppedBooleans are booleans that are not pointers.
	droppedBooleans = []string{
		"hostIPC", "hostNetwork", "hostPID", "paused", "publishNotReadyAddresses", "readOnly", "stdin", "stdinOnce", "tty", "unschedulable",
		"globalDefault", "chapAuthDiscovery", "chapAuthSession", "sslEnabled", "clusterScope", "insecureSkipTLSVerify",
		"preserveUnknownFields", "deprecated", "nullable", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum",
		"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	}
	// droppedNumbers are numbers that are not pointers.
	droppedNumbers = []string{
		"hostPort", "nodePort", "healthCheckNodePort", "initialDelaySeconds", "minReadySeconds", "failureThreshold", "periodSeconds",
		"successThreshold", "timeoutSeconds", "number", "priority",
	}
	// droppedMaps are maps, and structures that are always there, so that an empty one asks for nothing.
	droppedMaps = []string{
		"annotations", "labels", "matchLabels", "nodeSelector", "data", "binaryData", "stringData", "limits", "requests", "hard", "default",
		"defaultRequest", "max", "min", "maxLimitRequestRatio", "capacity", "overhead", "parameters", "volumeAttributes", "options", "metadata",
		"spec", "template", "jobTemplate", "resources", "strategy", "updateStrategy", "clientConfig", "backend",
	}
	// textMaps are the maps from texts to texts or bytes: an entry is there or not, and an empty text is one.
	textMaps = []string{
		"annotations", "labels", "matchLabels", "nodeSelector", "data", "binaryData", "stringData", "parameters", "volumeAttributes", "options",
	}
	// allocated are the fields of a Service for which the API server keeps what it has allocated if they are left empty.
	allocated = []string{"clusterIP", "nodePort", "healthCheckNodePort"}
)

// asksForNothing tells the values that an object without the field has as well. Custom resources keep all values as they are written.
func (c *comparison) asksForNothing(field string, value any) bool {
	if !c.builtIn {
		return false
	}
	_, outer := lastNames(c.path)
	return c.isNothing(outer, field, value)
}

// isNothing tells it of a value whose field is in a map or structure of a name.
func (c *comparison) isNothing(outer, field string, value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for key, element := range value {
			if !c.isNothing(field, key, element) {
				return false
			}
		}
		// In a definition of custom resources the same words are names of properties.
		return c.kind.Group != apiExtensions && (slices.Contains(droppedMaps, field) || c.isTextMap(field))
	case []any:
		return len(value) == 0
	case string:
		return value == "" && !slices.Contains(keptTexts, field) && !c.isTextMap(outer)
	case bool:
		return !value && slices.Contains(droppedBooleans, field)
	default:
		number, ok := number(value)
		return ok && number == 0 && slices.Contains(droppedNumbers, field)
	}
}

// isTextMap tells the maps of texts by their name. The selectors of most kinds are structures.
func (c *comparison) isTextMap(field string) bool {
	if field == "selector" {
		return c.kind.Group == "" && slices.Contains([]string{"Service", "ReplicationController"}, c.kind.Kind)
	}
	return slices.Contains(textMaps, field)
}

// isAllocated tells the fields of a Service that are left to the API server.
func (c *comparison) isAllocated(field string, desired any) bool {
	return c.kind.Group == "" && c.kind.Kind == "Service" && slices.Contains(allocated, field) && c.asksForNothing(field, desired)
}

// atomicMaps are the maps and structures of the built-in kinds that server-side apply replaces as a whole (x-kubernetes-map-type: atomic).
// Those that are only within another one, or in a list that is replaced as a whole, are left out.
var atomicMaps = []string{
	"selector", "labelSelector", "podSelector", "namespaceSelector", "objectSelector", "nodeSelector", "scopeSelector", "nodeTopology",
	"configMapKeyRef", "secretKeyRef", "fileKeyRef", "fieldRef", "resourceFieldRef", "matchResources", "matchConstraints", "paramKind",
	"paramRef", "roleRef", "claimRef", "dataSource", "controllerExpandSecretRef", "controllerPublishSecretRef", "nodeExpandSecretRef",
	"nodePublishSecretRef", "nodeStageSecretRef", "port", "resource", "required", "requiredDuringSchedulingIgnoredDuringExecution",
}

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

// isAtomic tells whether a field is replaced as a whole, so that what only the member has there is lost.
func (c *comparison) isAtomic(field string) bool {
	if field == "scaleTargetRef" {
		return c.kind.Group == "autoscaling" && c.version == "v1"
	}
	return c.builtIn && slices.Contains(atomicMaps, field)
}

// isExtra tells whether a field that only the member has, within what is replaced as a whole, would be lost.
func (c *comparison) isExtra(field string, value any) bool {
	_, outer := lastNames(c.path)
	if known, found := defaultsInAtomics[field]; found && known.applies(c.kind.Group, outer) && equal(known.value, value) {
		return false
	}
	switch {
	case field == "status" && outer == "volumeClaimTemplates": // what is written there is dropped
		return false
	case c.isTextMap(outer):
		return true
	}
	if slices.Contains(derivedInAtomics, field) || c.isNothing("", field, value) {
		c.doubtful = c.doubtful || value != nil
		return false
	}
	return true
}

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

// isQuantity tells whether the path is one of a quantity. In the schemas of custom resource definitions the same words mean other things.
func (c *comparison) isQuantity() bool {
	if !c.builtIn || c.kind.Group == apiExtensions {
		return false
	}
	field, outer := lastNames(c.path)
	return slices.Contains(quantityFields, field) || slices.Contains(quantityMaps, outer) ||
		c.kind.Kind == "HorizontalPodAutoscaler" && slices.Contains(autoscalerFields, field)
}

// isBase64 tells whether the path is one of bytes, which are written in base64.
func (c *comparison) isBase64() bool {
	if !c.builtIn || len(c.path) < 2 {
		return false
	}
	field, outer := lastNames(c.path)
	if c.kind.Group != "" || len(c.path) != 2 {
		return field == "caBundle"
	}
	return outer == "data" && c.kind.Kind == "Secret" || outer == "binaryData" && c.kind.Kind == "ConfigMap"
}
