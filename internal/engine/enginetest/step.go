package enginetest

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// step is an action of another client on the member.
type step func(c *Case)

func (c *Case) do(steps ...step) {
	c.Helper()
	for _, s := range steps {
		s(c)
	}
}

// put creates objects as a field manager.
func put(manager, text string) step {
	return func(c *Case) {
		c.Helper()
		c.PutAs(c.Member, manager, text)
	}
}

// edit merges a patch, written as YAML, into an object.
func edit(manager, object, patch string) step { return editSubresource("", manager, object, patch) }

// editSubresource does the same as edit through a subresource.
func editSubresource(subresource, manager, object, patch string) step {
	return func(c *Case) {
		c.Helper()
		c.EditAs(c.Member, manager, subresource, object, patch)
	}
}

// ownedBy adds references to existing owners to an object.
func ownedBy(object string, owners ...string) step {
	return func(c *Case) {
		c.Helper()
		references, _, _ := unstructured.NestedSlice(c.must(object).Object, "metadata", "ownerReferences")
		for _, text := range owners {
			owner := c.must(text)
			references = append(references, map[string]any{
				"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(), "uid": string(owner.GetUID()),
			})
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": references}})
		if err != nil {
			c.Fatal(err)
		}
		c.EditAs(c.Member, "owner", "", object, string(patch))
	}
}

// ownerAlive creates the Work on the hub to which the AppliedWork someWork belongs. Without its Work, an AppliedWork does not count as an owner.
func ownerAlive(c *Case) {
	c.Helper()
	if work := c.Fleet.Subject.Work; work != nil {
		work(c.World, c.Member, c.Expand("$ns-theirs"))
	}
}

// removeIt deletes the object and does not wait.
func removeIt(c *Case) {
	c.Helper()
	c.Remove(c.Member, it)
}

// placedBy places objects with another placement of the engine.
func placedBy(name, text string) step {
	return func(c *Case) {
		c.Helper()
		request := c.Placing(name, text)
		c.tidyAtEnd(request.Name)
		c.ApplyBy(c.Past(), request)
	}
}

// find reads an object without the recorder. It returns nil if the object or its kind does not exist.
func (c *Case) find(object string) *unstructured.Unstructured {
	c.Helper()
	return c.Find(c.Member, object)
}

// must reads an existing object.
func (c *Case) must(object string) *unstructured.Unstructured {
	c.Helper()
	return c.Must(c.Member, object)
}

// Has returns a check of a field's value.
func Has(object string, value any, path ...string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		if got := c.Value(c.Member, object, path...); got != value {
			c.Errorf("%s: %v is %v, want %v", object, path, got, value)
		}
	}
}

// object returns the live object under test.
func (c *Case) object() *unstructured.Unstructured {
	c.Helper()
	live := c.FindRef(c.Member, c.target)
	if live == nil {
		c.Fatalf("%s does not exist", c.target)
	}
	return live
}

// Marked checks that the object under test has the placement's mark.
func Marked(c *Case) {
	c.Helper()
	if !c.Fleet.Subject.Marked(c.object()) {
		c.Error("it is not marked as the placement's")
	}
}

// Unmarked checks that the object under test does not have the placement's mark.
func Unmarked(c *Case) {
	c.Helper()
	if live := c.object(); c.Fleet.Subject.Marked(live) {
		c.Errorf("it is marked as the placement's: %v %v", live.GetLabels(), live.GetOwnerReferences())
	}
}

// HasOwners returns a check of the object's number of owners, including the owner of an engine that marks by owner references.
func HasOwners(n int) func(*Case) {
	return func(c *Case) {
		c.Helper()
		if got := len(c.object().GetOwnerReferences()); got != n {
			c.Errorf("it has %d owners, want %d", got, n)
		}
	}
}

// appliedWork is the kind of KubeFleet's owners.
const appliedWork = "AppliedWork"

// keepsOwner checks that the object has the placement's mark and still has its earlier owner.
func keepsOwner(c *Case) {
	c.Helper()
	Marked(c)
	others := 0
	for _, owner := range c.object().GetOwnerReferences() {
		if owner.Kind != appliedWork {
			others++
		}
	}
	if others != 1 {
		c.Errorf("it has %d other owners, want 1", others)
	}
}

// Free removes the finalizers that keep the object.
func Free(c *Case) {
	c.Helper()
	edit("kubectl", it, "{metadata: {finalizers: null}}")(c)
}

// Removed returns a check that an object does not exist.
func Removed(object string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		if c.find(object) != nil {
			c.Errorf("%s still exists", object)
		}
	}
}

// Remains returns a check that an object still exists.
func Remains(object string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		c.must(object)
	}
}

// losesOwner returns a check that the object has the placement's mark and no longer has this owner.
func losesOwner(owner string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		Marked(c)
		uid := c.must(owner).GetUID()
		for _, reference := range c.object().GetOwnerReferences() {
			if reference.UID == uid {
				c.Errorf("it is still owned by %s", owner)
			}
		}
	}
}

// reportsNone checks that the status has no differences.
func reportsNone(c *Case) {
	c.Helper()
	if len(c.Status.DiffedPlacements) > 0 {
		c.Errorf("reported: %+v", c.Status.DiffedPlacements)
	}
}

// appliedByServer checks that the object was written with server-side apply.
func appliedByServer(c *Case) {
	c.Helper()
	for _, entry := range c.object().GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			return
		}
	}
	c.Error("it was not written with server-side apply")
}
