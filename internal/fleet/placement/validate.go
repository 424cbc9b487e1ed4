package placement

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is a rule that a Spec breaks.
type Problem struct {
	Path Path
	// Message describes the problem and how to fix it.
	Message string
	// Warning marks a spec that is accepted but probably not intended.
	Warning bool
}

func (p Problem) String() string { return p.Path.String() + ": " + p.Message }

// Validate lists every rule of KubeFleet's API that the spec breaks and that can be checked without a hub: the schema and the CEL rules of the
// CustomResourceDefinition, and the rules of the validating webhook. Enumerations must be in the CRD's spelling.
//
// Validate also warns of label selectors whose requirements contradict each other. For other specs that the API accepts although they cannot work,
// see [ValidateUse].
func Validate(spec Spec) []Problem {
	var v validator
	v.checkSelectors(At("resource_selectors"), spec.ResourceSelectors)
	if spec.Policy != nil {
		v.checkPolicy(At("policy"), *spec.Policy)
	}
	if spec.Strategy != nil {
		v.checkStrategy(At("strategy"), *spec.Strategy)
	}
	if limit := spec.RevisionHistoryLimit; limit != nil && (*limit < 1 || *limit > 1000) {
		v.add(At("revision_history_limit"), "%d is out of range: it must be between 1 and 1000", *limit)
	}
	v.checkReportingScope(At("status_reporting_scope"), spec)
	return v.problems
}

type validator struct{ problems []Problem }

func (v *validator) add(path Path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) warn(path Path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...), Warning: true})
}

// checkText adds the problem that rule finds in a text. what describes the text in a sentence: "a label key".
func (v *validator) checkText(path Path, what, text string, rule func(string) string) {
	if problem := rule(text); problem != "" {
		v.add(path, "%q is not %s: %s", text, what, problem)
	}
}

// Enumeration is a text with a fixed list of values.
type Enumeration interface {
	~string
	Values() []string
}

// ProblemOfValue returns the problem of an enumeration's value, or "" if it is valid.
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

func checkEnum[T Enumeration](v *validator, path Path, value T) {
	if value != "" {
		checkRequiredEnum(v, path, value)
	}
}

func checkRequiredEnum[T Enumeration](v *validator, path Path, value T) (valid bool) {
	problem := ProblemOfValue(value)
	if problem != "" {
		v.add(path, "%s", problem)
	}
	return problem == ""
}

func (v *validator) checkLimit(path Path, limit, count int) {
	if count > limit {
		v.add(path, "there are %d, and at most %d are allowed", count, limit)
	}
}

func (v *validator) checkSelectors(path Path, selectors []ResourceSelector) {
	if len(selectors) == 0 {
		v.add(path, "at least one selector is required to select the objects to place")
	}
	v.checkLimit(path, 100, len(selectors))
	for i, s := range selectors {
		v.checkSelector(path.Index(i), s)
	}
	v.checkOpenedNamespace(path, selectors)
}

func (v *validator) checkSelector(path Path, s ResourceSelector) {
	if s.Version == "" {
		v.add(path.Attribute("version"), `the version is required, for instance "v1"`)
	}
	if s.Kind == "" {
		v.add(path.Attribute("kind"), `the kind is required, for instance "Namespace"`)
	}
	if s.Name != "" && s.LabelSelector != nil {
		v.add(path, "name and label_selector are mutually exclusive: remove one of them")
	}
	v.checkLabelSelector(path.Attribute("label_selector"), s.LabelSelector)
	checkEnum(v, path.Attribute("selection_scope"), s.SelectionScope)
}

// checkOpenedNamespace checks the CEL rules about the scope NamespaceWithResourceSelectors.
func (v *validator) checkOpenedNamespace(path Path, selectors []ResourceSelector) {
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
			v.add(path.Index(i), "selector %d has scope NamespaceWithResourceSelectors, which must be the only Namespace selector: place other "+
				"namespaces with another placement", opening[0])
		}
	}
}

func (v *validator) checkReportingScope(path Path, spec Spec) {
	checkEnum(v, path, spec.StatusReportingScope)
	if spec.StatusReportingScope != NamespaceAccessible {
		return
	}
	// KubeFleet counts kinds with this name in any group.
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
