package selection

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Query is a query for objects of a kind on the hub.
type Query struct {
	Kind Kind
	// Namespace is empty for cluster-scoped kinds.
	Namespace string
	// Name is the name of one object; empty for all objects.
	Name string
	// LabelSelector is a label selector in the syntax of the API. A Lister can ignore it: [Resolve] filters the answers.
	LabelSelector string
}

// Lister answers queries. Each answer has the matching objects in any order; a missing object is not an error. [Resolve] does not modify the
// returned objects. The queries of a call do not depend on each other, so they can run in parallel.
type Lister func([]Query) ([][]*unstructured.Unstructured, error)

// Selection is what selectors select.
type Selection struct {
	// Objects are in the order of [Sort].
	Objects []manifest.Object
	// Empty lists the indexes of the selectors without a match. KubeFleet does not report them.
	Empty []int
	// Skipped lists objects that selectors select by name or label although they are never placed. Objects that a selector includes only as content
	// of a namespace are listed by [ResolveManifests], and not by [Resolve].
	Skipped []Skipped
	// Reserved lists selected objects that are, or are in, a reserved namespace.
	Reserved []manifest.Identifier
	// Unselected lists given manifests that no selector selects; only [ResolveManifests] sets it.
	Unselected []manifest.Identifier
}

// Skipped identifies an object that KubeFleet never places. If its name is empty, it identifies a kind.
type Skipped struct {
	manifest.Identifier
	// Selector is the index of the selector.
	Selector int
	// Reason is the reason why the object is never placed. It follows "because" in a sentence.
	Reason string
}

// Error is a mistake in the selectors that the user must fix: KubeFleet's user error, which is reported as the condition Scheduled=False with
// reason InvalidResourceSelectors.
type Error struct {
	// Selector is the index of the selector.
	Selector int
	// Message is based on KubeFleet's message, if KubeFleet has one. It does not contain the name of the placement.
	Message string
	// NoNamespace reports that the selector with scope NamespaceWithResourceSelectors does not match exactly one namespace. A namespace that is missing on the
	// hub may be among the manifests, and a namespace that is missing among the manifests may be on the hub.
	NoNamespace bool
}

func (e *Error) Error() string { return e.Message }

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

func kindOf(s placement.ResourceSelector) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
}

// includesContent reports whether a Namespace selector also selects the content of the namespace: KubeFleet's default scope.
func includesContent(s placement.ResourceSelector) bool {
	return s.SelectionScope != placement.NamespaceOnly && s.SelectionScope != placement.NamespaceWithResourceSelectors
}

// findOpeningSelector returns the index of the first Namespace selector with scope NamespaceWithResourceSelectors. Selectors of namespaced kinds
// select objects in the namespace of this selector.
func findOpeningSelector(selectors []placement.ResourceSelector) (index int, found bool) {
	for i, s := range selectors {
		if kindOf(s) == namespaceKind && s.SelectionScope == placement.NamespaceWithResourceSelectors {
			return i, true
		}
	}
	return 0, false
}

func compileSelector(s placement.ResourceSelector, index int) (labels.Selector, error) {
	if s.LabelSelector == nil {
		return labels.Everything(), nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return nil, &Error{Selector: index, Message: fmt.Sprintf("the labelSelector is invalid: %v", err)}
	}
	return selector, nil
}

func errNotExactlyOne(selector int) *Error {
	return &Error{
		Selector: selector, NoNamespace: true,
		Message: "NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
	}
}

func errReserved(selector int, namespace string) *Error {
	return &Error{Selector: selector, Message: fmt.Sprintf("namespace %s is not allowed to propagate", namespace)}
}

func errNamespaced(selector int, resource string) *Error {
	return &Error{
		Selector: selector,
		Message: fmt.Sprintf("cannot select namespace-scoped resource %s in a clusterResourcePlacement; select its Namespace, "+
			"and give that selector the selectionScope NamespaceWithResourceSelectors to pick from it", resource),
	}
}

func errClusterScoped(selector int, resource string) *Error {
	return &Error{
		Selector: selector,
		Message: fmt.Sprintf("cannot select cluster-scoped resource %s in a resourcePlacement; select it in a clusterResourcePlacement "+
			"(fleet_crp)", resource),
	}
}

func errDuplicate(selector, first int, id manifest.Identifier) *Error {
	cause := fmt.Sprintf("selector %d also selects it", first)
	if selector == first {
		cause = "it is listed twice"
	}
	return &Error{
		Selector: selector,
		Message:  fmt.Sprintf("found duplicate resource %s (%s): %s", id, id.GroupVersionKind().GroupVersion(), cause),
	}
}

type collection struct {
	selection Selection
	// selectors maps objects to the selector that selected them. As in KubeFleet, an object in another version counts as another object.
	selectors map[manifest.Identifier]int
}

// add adds the objects that a selector selects. It returns an error for an object that was added before.
func (c *collection) add(selector int, objects []manifest.Object) error {
	if len(objects) == 0 {
		c.selection.Empty = append(c.selection.Empty, selector)
	}
	if c.selectors == nil {
		c.selectors = map[manifest.Identifier]int{}
	}
	for _, o := range objects {
		if first, found := c.selectors[o.Identifier]; found {
			return errDuplicate(selector, first, o.Identifier)
		}
		c.selectors[o.Identifier] = selector
		c.selection.Objects = append(c.selection.Objects, o)
		if o.GroupVersionKind() == namespaceKind && ReservedNamespace(o.Name) || ReservedNamespace(o.Namespace) {
			c.selection.Reserved = append(c.selection.Reserved, o.Identifier)
		}
	}
	return nil
}

func (c *collection) skip(selector int, id manifest.Identifier, reason string) {
	c.selection.Skipped = append(c.selection.Skipped, Skipped{Identifier: id, Selector: selector, Reason: reason})
}

func (c *collection) isSkipped(id manifest.Identifier) bool {
	return slices.ContainsFunc(c.selection.Skipped, func(s Skipped) bool { return s.Identifier == id })
}

func (c *collection) finish() Selection {
	Sort(c.selection.Objects)
	slices.SortStableFunc(c.selection.Skipped, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Selector, b.Selector), Compare(a.Identifier, b.Identifier))
	})
	slices.SortFunc(c.selection.Reserved, Compare)
	slices.SortFunc(c.selection.Unselected, Compare)
	return c.selection
}
