package objectschema_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	mergeschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// mergeSchema is the schema of server-side apply.
type mergeSchema struct{ types *mergeschema.Schema }

// mergeRule is how server-side apply merges values. The zero value has the defaults of OpenAPI: a list is replaced as a whole, a map is merged.
type mergeRule struct {
	atomic bool
	keys   []diff.MergeKey
	atom   mergeschema.Atom
}

// readMergeSchema returns client-go's schema, which is only available through an object.
func readMergeSchema(t *testing.T) mergeSchema {
	t.Helper()
	object := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
	typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(object)
	if err != nil {
		t.Fatal(err)
	}
	return mergeSchema{types: typed.Schema()}
}

// rule returns the rule of a model. fieldRule returns the rule of a field of a model.
func (m mergeSchema) rule(model string) mergeRule {
	return m.resolve(mergeschema.TypeRef{NamedType: &model})
}

func (m mergeSchema) fieldRule(model, field string) mergeRule {
	named, _ := m.types.FindNamedType(model)
	if named.Map == nil {
		return mergeRule{}
	}
	found, known := named.Map.FindField(field)
	if !known {
		return mergeRule{}
	}
	return m.resolve(found.Type)
}

// inner returns the rule of the elements of a list or map.
func (r mergeRule) inner(m mergeSchema) mergeRule {
	switch {
	case r.atom.List != nil:
		return m.resolve(r.atom.List.ElementType)
	case r.atom.Map != nil:
		return m.resolve(r.atom.Map.ElementType)
	default:
		return mergeRule{}
	}
}

func (m mergeSchema) resolve(ref mergeschema.TypeRef) mergeRule {
	atom, known := m.types.Resolve(ref)
	if !known {
		return mergeRule{}
	}
	out := mergeRule{atom: atom, atomic: atom.Map != nil && atom.Map.ElementRelationship == mergeschema.Atomic}
	if atom.List == nil || atom.List.ElementRelationship != mergeschema.Associative {
		return out
	}
	if len(atom.List.Keys) == 0 {
		out.keys = []diff.MergeKey{{}}
	}
	element, _ := m.types.Resolve(atom.List.ElementType)
	for _, name := range atom.List.Keys {
		out.keys = append(out.keys, diff.MergeKey{Field: name, Absent: defaultOf(element, name)})
	}
	return out
}

// defaultOf returns the value of a missing key field. Most keys have no default, or an empty one.
func defaultOf(element mergeschema.Atom, key string) string {
	if element.Map == nil {
		return ""
	}
	field, _ := element.Map.FindField(key)
	if field.Default == nil || field.Default == 0 {
		return ""
	}
	return fmt.Sprint(field.Default)
}
