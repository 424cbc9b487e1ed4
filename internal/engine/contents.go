package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Contents are the other objects that are deleted with a Namespace or a CustomResourceDefinition. They do not include objects that the placement deletes
// itself, dependents of such objects, or objects that a cluster creates in every Namespace.
type Contents struct {
	// Objects are the first objects. Count is the number of all objects.
	Objects []manifest.Identifier
	Count   int
	// Unseen are the first kinds that could not be listed, as KIND.GROUP. UnseenCount is the number of all such kinds. Cause is the reason for the first one.
	Unseen      []string
	UnseenCount int
	Cause       string
	// Incomplete means that the API server could not serve the requests for some of these kinds, so that a later request may succeed. The first kind in Unseen is
	// one of them.
	Incomplete bool

	// First and Open are other placements that have objects among the contents. The run removes the placements in First before the deletion. It is not known
	// yet whether the run removes the placements in Open.
	First, Open []string

	// rootsHash is a hash of the objects that no other object in the container owns. The other objects are created and deleted with their owners.
	rootsHash string
}

// maxContents is the number of objects, and of kinds, that are named. The others are only counted.
const maxContents = 3

// Add counts an object, and names it if it is one of the first.
func (c *Contents) Add(id manifest.Identifier) {
	if c.Count++; c.Count <= maxContents {
		c.Objects = append(c.Objects, id)
	}
}

// AddRoot adds an object that no other object in the container owns. The caller adds objects in a fixed order, because [Contents.Mark] depends on it.
func (c *Contents) AddRoot(id manifest.Identifier, uid types.UID) {
	c.Add(id)
	sum := sha256.Sum256([]byte(c.rootsHash + " " + id.Key().String() + " " + string(uid)))
	c.rootsHash = hex.EncodeToString(sum[:8])
}

// Mark returns a hash of the objects that [Contents.AddRoot] has added, or "" if there are none.
func (c *Contents) Mark() string {
	if c == nil {
		return ""
	}
	return c.rootsHash
}

// AddUnseen counts a kind that could not be listed, and names it if it is one of the first.
func (c *Contents) AddUnseen(kind string, cause error) {
	if c.UnseenCount++; c.UnseenCount <= maxContents {
		c.Unseen = append(c.Unseen, kind)
	}
	if c.Cause == "" {
		c.Cause = cause.Error()
	}
}

// Empty reports whether no other objects are deleted, and all kinds could be listed.
func (c *Contents) Empty() bool { return c == nil || c.Count == 0 && c.UnseenCount == 0 }

// Names returns the first objects and the number of the rest as text.
func (c *Contents) Names() string {
	if c == nil {
		return ""
	}
	names := make([]string, len(c.Objects))
	for i, object := range c.Objects {
		names[i] = object.String()
	}
	return joinNames(names, c.Count, "object")
}

// Obstacle returns a clause that says why the deletion is blocked. If there are objects, the clause does not mention the kinds that could not be listed. The
// contents must not be empty.
func (c *Contents) Obstacle() string {
	if c.Count > 0 {
		return "its deletion would also delete " + c.Names()
	}
	return fmt.Sprintf("its deletion would also delete any objects of the kinds that could not be listed: %s (%s)", joinNames(c.Unseen, c.UnseenCount, "kind"), c.Cause)
}

// Unchecked returns an error if no objects were found, and some kinds that could not be listed may be listed later. The Namespace or definition must then
// neither be deleted nor be orphaned now.
func (c *Contents) Unchecked() error {
	if c == nil || c.Count > 0 || !c.Incomplete {
		return nil
	}
	return fmt.Errorf("its deletion would delete its contents, and %s could not be listed: %s. It is kept, and the next run checks it again",
		joinNames(c.Unseen, c.UnseenCount, "kind"), c.Cause)
}

// joinNames joins the names of things. count is the number of all things, and what is their noun in the singular. If count is higher than the number of names,
// joinNames adds the number of the other things.
func joinNames(names []string, count int, what string) string {
	if more := count - len(names); more > 0 {
		return strings.Join(names, ", ") + " and " + words.Count(more, "more "+what)
	}
	return words.List(names, len(names))
}
