package rollout

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fields reads optional fields. A field of the wrong type counts as missing, and is recorded as a fault, because KubeFleet fails to convert the object.
type fields struct {
	object map[string]any
	fault  *string
}

func (f fields) get(path ...string) (any, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(f.object, path...)
	if err != nil {
		f.recordFault(path)
	}
	return value, found && err == nil && value != nil
}

func (f fields) recordFault(path []string) {
	*f.fault = fmt.Sprintf("%s has a value of the wrong type", strings.Join(path, "."))
}

func (f fields) number(path ...string) int64 { return f.numberOr(0, path...) }

// numberOr reads an integer, which may have been decoded as a float64.
func (f fields) numberOr(absent int64, path ...string) int64 {
	value, found := f.get(path...)
	if !found {
		return absent
	}
	switch number := value.(type) {
	case int64:
		return number
	case float64:
		if whole := int64(number); float64(whole) == number {
			return whole
		}
	}
	f.recordFault(path)
	return absent
}

func (f fields) text(path ...string) string {
	value, found := f.get(path...)
	text, ok := value.(string)
	if found && !ok {
		f.recordFault(path)
	}
	return text
}

func (f fields) list(path ...string) []any {
	value, found := f.get(path...)
	list, ok := value.([]any)
	if found && !ok {
		f.recordFault(path)
	}
	return list
}

func (f fields) isObserved() bool {
	return f.number("status", "observedGeneration") == f.number("metadata", "generation")
}

func (f fields) findCondition(conditionType string) (condition map[string]any, found bool) {
	for _, item := range f.list("status", "conditions") {
		condition, ok := item.(map[string]any)
		if !ok {
			f.recordFault([]string{"status", "conditions"})
			continue
		}
		if condition["type"] == conditionType {
			return condition, true
		}
	}
	return nil, false
}

func (f fields) hasIngress() bool {
	addresses := f.list("status", "loadBalancer", "ingress")
	if len(addresses) == 0 {
		return false
	}
	first := fields{fault: f.fault}
	first.object, _ = addresses[0].(map[string]any)
	return first.text("ip") != "" || first.text("hostname") != ""
}
