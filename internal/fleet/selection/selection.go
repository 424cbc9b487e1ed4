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

// Query asks for objects of a kind on the hub.
type Query struct {
	Kind Kind
	// Namespace is empty for cluster-scoped kinds.
	Namespace string
	// Name asks for one object; empty asks for all.
	Name string
	// LabelSelector, in the syntax of the API, may be used to transfer less; the answers are filtered in any case.
	LabelSelector string
}

// Lister answers queries, each by the objects it matches, in any order; an object that is not there is no error. The objects are not
// changed. It is called with all queries that do not depend on each other, so that they can run in parallel.
type Lister func([]Query) ([][]*unstructured.Unstructured, error)

// Selection is what selectors stand for.
type Selection struct {
	// Objects come in the order of [Sort].
	Objects []manifest.Object
	// Empty lists the indexes of the selectors that matched nothing. Upstream says nothing about them.
	Empty []int
	// Skipped lists what selectors reached by name or label although it is never placed. What a namespace brings with it and is never
	// placed is only listed for given manifests, which somebody wrote on purpose.
	Skipped []Skipped
	// Reserved lists selected objects that are, or live in, a reserved namespace.
	Reserved []manifest.Identifier
	// Unselected lists given manifests that no selector took; only [ResolveManifests] fills it.
	Unselected []manifest.Identifier
}

// Skipped is an object that is never placed; without a name it stands for its kind.
type Skipped struct {
	manifest.Identifier
	// Selector is the index of the selector that reached it.
	Selector int
	// Reason says why it is never placed, to be read after "because".
	Reason string
}

// Error is a fault of the selectors that the user has to mend: upstream's user error, which shows as the condition Scheduled=False with
// reason InvalidResourceSelectors.
type Error struct {
	// Selector is the index of the selector.
	Selector int
	// Message is upstream's, without the name of the placement.
	Message string
	// NoNamespace says that the namespace which the selector opens is not there. It may be elsewhere.
	NoNamespace bool
}

func (e *Error) Error() string { return e.Message }

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

func kindOf(s placement.ResourceSelector) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
}

// bringsContent tells a Namespace selector that selects what is in the namespace as well: upstream's default scope.
func bringsContent(s placement.ResourceSelector) bool {
	return s.SelectionScope != placement.NamespaceOnly && s.SelectionScope != placement.NamespaceWithResourceSelectors
}

// narrowing finds the Namespace selector that opens one namespace to selectors of namespaced kinds.
func narrowing(selectors []placement.ResourceSelector) (index int, found bool) {
	for i, s := range selectors {
		if kindOf(s) == namespaceKind && s.SelectionScope == placement.NamespaceWithResourceSelectors {
			return i, true
		}
	}
	return 0, false
}

// matcher returns what a selector demands of labels: nothing unless it has a label selector.
func matcher(s placement.ResourceSelector, index int) (labels.Selector, error) {
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
		Message: fmt.Sprintf("cannot select cluster-scoped resource %s in a resourcePlacement; a clusterResourcePlacement (fleet_crp) selects "+
			"it", resource),
	}
}

func errDuplicate(selector, first int, id manifest.Identifier) *Error {
	cause := fmt.Sprintf("selector %d selects it too", first)
	if selector == first {
		cause = "it is given twice"
	}
	return &Error{
		Selector: selector,
		Message:  fmt.Sprintf("found duplicate resource %s (%s): %s", id, id.GroupVersionKind().GroupVersion(), cause),
	}
}

// collection gathers what the selectors reach, once each.
type collection struct {
	selection Selection
	// selectors remembers which selector reached an object. Versions make a difference, as upstream.
	selectors map[manifest.Identifier]int
}

// add takes the objects of one selector.
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

func (c *collection) skipped(id manifest.Identifier) bool {
	return slices.ContainsFunc(c.selection.Skipped, func(s Skipped) bool { return s.Identifier == id })
}

// sorted returns what was collected in an order that does not depend on the order in which it came.
func (c *collection) sorted() Selection {
	Sort(c.selection.Objects)
	slices.SortStableFunc(c.selection.Skipped, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Selector, b.Selector), Compare(a.Identifier, b.Identifier))
	})
	slices.SortFunc(c.selection.Reserved, Compare)
	slices.SortFunc(c.selection.Unselected, Compare)
	return c.selection
}
