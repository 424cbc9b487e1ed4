package enginetest

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// step is something that others do on the member.
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
func edit(manager, object, patch string) step { return through("", manager, object, patch) }

// through does it through a subresource.
func through(subresource, manager, object, patch string) step {
	return func(c *Case) {
		c.Helper()
		c.EditAs(c.Member, manager, subresource, object, patch)
	}
}

// ownedBy adds owner references to an object, to objects that exist.
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

// alive makes of KubeFleet's owner one that is not left behind.
func alive(c *Case) {
	c.Helper()
	if work := c.Fleet.Subject.Work; work != nil {
		work(c.World, c.Member, c.Expand("$ns-theirs"))
	}
}

// removeIt deletes the object, and does not wait.
func removeIt(c *Case) {
	c.Helper()
	c.Remove(c.Member, it)
}

// placedBy has another placement of the engine place objects.
func placedBy(name, text string) step {
	return func(c *Case) {
		c.Helper()
		request := c.Placing(name, text)
		c.tidyAtEnd(request.Name)
		c.ApplyBy(c.Past(), request)
	}
}

// find reads an object past the recorder; nil if there is none, or no such kind.
func (c *Case) find(object string) *unstructured.Unstructured {
	c.Helper()
	return c.Find(c.Member, object)
}

// must reads one that is there.
func (c *Case) must(object string) *unstructured.Unstructured {
	c.Helper()
	return c.Must(c.Member, object)
}

// Has wants a field to be as it was placed, or what others put there to be there still.
func Has(object string, value any, path ...string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		if got := c.Value(c.Member, object, path...); got != value {
			c.Errorf("%s: %v is %v, want %v", object, path, got, value)
		}
	}
}

// object is the one that the case is about, as it is.
func (c *Case) object() *unstructured.Unstructured {
	c.Helper()
	live := c.FindRef(c.Member, c.target)
	if live == nil {
		c.Fatalf("there is no %s", c.target)
	}
	return live
}

// Marked wants the object that the case is about to be the placement's.
func Marked(c *Case) {
	c.Helper()
	if !c.Fleet.Subject.Marked(c.object()) {
		c.Error("it is not marked as the placement's")
	}
}

// Unmarked wants the object that the case is about not to be the placement's.
func Unmarked(c *Case) {
	c.Helper()
	if live := c.object(); c.Fleet.Subject.Marked(live) {
		c.Errorf("it is marked as the placement's: %v %v", live.GetLabels(), live.GetOwnerReferences())
	}
}

// HasOwners wants the object to have so many owners, that of an engine which marks by owners included.
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

// keepsOwner wants the object to be the placement's, and the owner that it had before to own it still.
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

// Gone wants an object not to be there any more.
func Gone(object string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		if c.find(object) != nil {
			c.Errorf("%s is there still", object)
		}
	}
}

// Remains wants an object to be there still.
func Remains(object string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		c.must(object)
	}
}

// loses wants an owner that there was to own the object no more, which is the placement's now.
func loses(owner string) func(*Case) {
	return func(c *Case) {
		c.Helper()
		Marked(c)
		uid := c.must(owner).GetUID()
		for _, reference := range c.object().GetOwnerReferences() {
			if reference.UID == uid {
				c.Errorf("it is owned by %s still", owner)
			}
		}
	}
}

// reportsNone wants no differences to have reached the status.
func reportsNone(c *Case) {
	c.Helper()
	if len(c.Status.DiffedPlacements) > 0 {
		c.Errorf("reported: %+v", c.Status.DiffedPlacements)
	}
}

// appliedByServer wants the object to have been written with server-side apply.
func appliedByServer(c *Case) {
	c.Helper()
	for _, entry := range c.object().GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			return
		}
	}
	c.Error("it was written in another way than server-side apply")
}
