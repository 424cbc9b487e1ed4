package placement

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is a rule that a Spec breaks.
type Problem struct {
	Path Path
	// Message says what is wrong and what to do.
	Message string
	// Warning marks what works but hardly does what is wanted.
	Warning bool
}

func (p Problem) String() string { return p.Path.String() + ": " + p.Message }

// Validate lists every rule of KubeFleet's API that the spec breaks and that can be known without a hub: the schema and the rules (CEL) of
// the CustomResourceDefinition, and those of the validating webhook. Enumerations have to be in the CRD's spelling.
//
// What the API accepts although it cannot work, a reserved namespace for instance, is not told here.
func Validate(spec Spec) []Problem {
	var v validator
	v.selectors(At("resource_selectors"), spec.ResourceSelectors)
	if spec.Policy != nil {
		v.policy(At("policy"), *spec.Policy)
	}
	if spec.Strategy != nil {
		v.strategy(At("strategy"), *spec.Strategy)
	}
	if limit := spec.RevisionHistoryLimit; limit != nil && (*limit < 1 || *limit > 1000) {
		v.add(At("revision_history_limit"), "%d is out of range: it is between 1 and 1000", *limit)
	}
	v.reportingScope(At("status_reporting_scope"), spec)
	return v.problems
}

type validator struct{ problems []Problem }

func (v *validator) add(path Path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// warn adds a warning: what is accepted and hardly does what is wanted.
func (v *validator) warn(path Path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...), Warning: true})
}

// named adds what the rule says is wrong with a text; what names the text in a sentence: "a label key".
func (v *validator) named(path Path, what, text string, rule func(string) string) {
	if problem := rule(text); problem != "" {
		v.add(path, "%q is not %s: %s", text, what, problem)
	}
}

// Enumeration is a text of which only some values are legal.
type Enumeration interface {
	~string
	Values() []string
}

// ProblemOfValue returns what is wrong with a value of an enumeration; "" for nothing.
func ProblemOfValue[T Enumeration](value T) string {
	legal := value.Values()
	if slices.Contains(legal, string(value)) {
		return ""
	}
	for _, one := range legal {
		if strings.EqualFold(one, string(value)) {
			return fmt.Sprintf("%q is spelled %q", string(value), one)
		}
	}
	return fmt.Sprintf("%q is not one of %s", string(value), strings.Join(legal, ", "))
}

// enum checks an enumeration, which may be left out.
func enum[T Enumeration](v *validator, path Path, value T) {
	if value != "" {
		mandatory(v, path, value)
	}
}

// mandatory checks an enumeration that must not be left out.
func mandatory[T Enumeration](v *validator, path Path, value T) (valid bool) {
	problem := ProblemOfValue(value)
	if problem != "" {
		v.add(path, "%s", problem)
	}
	return problem == ""
}

func (v *validator) atMost(path Path, limit, count int) {
	if count > limit {
		v.add(path, "there are %d, and at most %d are allowed", count, limit)
	}
}

func (v *validator) selectors(path Path, selectors []ResourceSelector) {
	if len(selectors) == 0 {
		v.add(path, "at least one selector is required: it says what to place")
	}
	v.atMost(path, 100, len(selectors))
	for i, s := range selectors {
		v.selector(path.Index(i), s)
	}
	v.openedNamespace(path, selectors)
}

func (v *validator) selector(path Path, s ResourceSelector) {
	if s.Version == "" {
		v.add(path.Attribute("version"), `the version is required, for instance "v1"`)
	}
	if s.Kind == "" {
		v.add(path.Attribute("kind"), `the kind is required, for instance "Namespace"`)
	}
	if s.Name != "" && s.LabelSelector != nil {
		v.add(path, "name and label_selector are mutually exclusive: remove one of them")
	}
	v.labelSelector(path.Attribute("label_selector"), s.LabelSelector)
	enum(v, path.Attribute("selection_scope"), s.SelectionScope)
}

// openedNamespace checks the CEL rules about the scope NamespaceWithResourceSelectors.
func (v *validator) openedNamespace(path Path, selectors []ResourceSelector) {
	var namespaces, opening []int
	for i, s := range selectors {
		if s.Group != "" || s.Version != "v1" || s.Kind != "Namespace" {
			continue
		}
		namespaces = append(namespaces, i)
		if s.SelectionScope == NamespaceWithResourceSelectors {
			opening = append(opening, i)
		}
	}
	if len(opening) == 0 {
		return
	}
	for _, i := range opening {
		if selectors[i].Name == "" || selectors[i].LabelSelector != nil {
			v.add(path.Index(i), "a selector with scope NamespaceWithResourceSelectors must select its namespace by name: set name, "+
				"and remove label_selector")
		}
	}
	for _, i := range namespaces {
		if i != opening[0] {
			v.add(path.Index(i), "selector %d has scope NamespaceWithResourceSelectors, which must be the only Namespace selector: "+
				"place other namespaces by a placement of their own", opening[0])
		}
	}
}

func (v *validator) reportingScope(path Path, spec Spec) {
	enum(v, path, spec.StatusReportingScope)
	if spec.StatusReportingScope != NamespaceAccessible {
		return
	}
	// Upstream counts kinds of this name in any group.
	count := 0
	for _, s := range spec.ResourceSelectors {
		if s.Kind == "Namespace" {
			count++
		}
	}
	if count != 1 {
		v.add(path, "NamespaceAccessible writes the status into the selected namespace, so exactly one selector of kind Namespace is "+
			"required; there are %d", count)
	}
}
