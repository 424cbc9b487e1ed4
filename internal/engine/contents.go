package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Contents are what a Namespace or a CustomResourceDefinition takes with it when it is deleted, besides what the placement deletes itself,
// what belongs to that, and what a cluster makes in every Namespace.
type Contents struct {
	// Objects are the first of them, Count is how many there are.
	Objects []manifest.Identifier
	Count   int
	// Unseen are the first kinds that could not be listed, as KIND.GROUP, UnseenCount is how many there are, and Cause why it was so for the first.
	Unseen      []string
	UnseenCount int
	Cause       string
	// Incomplete says that some of the Unseen kinds, the first among them, may be listed at another time: the API server could not serve the request.
	Incomplete bool

	// First are the placements that have objects in it and are removed first. Open are those that the run may or may not remove: that is not known yet.
	First, Open []string

	// roots is a hash of the objects that no other object owns: those that they own are created and deleted with them.
	roots string
}

// maxContents is how many objects, and how many kinds, are named before the rest is counted.
const maxContents = 3

// Add counts an object, and names it if it is one of the first.
func (c *Contents) Add(id manifest.Identifier) {
	if c.Count++; c.Count <= maxContents {
		c.Objects = append(c.Objects, id)
	}
}

// AddRoot adds an object that no other one owns, in the order of their names.
func (c *Contents) AddRoot(id manifest.Identifier, uid types.UID) {
	c.Add(id)
	sum := sha256.Sum256([]byte(c.roots + " " + id.Key().String() + " " + string(uid)))
	c.roots = hex.EncodeToString(sum[:8])
}

// Mark returns a mark of the objects that no other object owns, "" if there are none.
func (c *Contents) Mark() string {
	if c == nil {
		return ""
	}
	return c.roots
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

// Empty tells whether nothing else is lost, as far as could be seen, and all could be.
func (c *Contents) Empty() bool { return c == nil || c.Count == 0 && c.UnseenCount == 0 }

// Names names the first objects and counts the rest.
func (c *Contents) Names() string {
	if c == nil {
		return ""
	}
	names := make([]string, len(c.Objects))
	for i, object := range c.Objects {
		names[i] = object.String()
	}
	return named(names, c.Count, "object")
}

// Obstacle says as a clause why the deletion is held back.
func (c *Contents) Obstacle() string {
	if c.Count > 0 {
		return "its deletion would also delete " + c.Names()
	}
	return fmt.Sprintf("it could not be checked for %s, which its deletion would also delete (%s)", named(c.Unseen, c.UnseenCount, "kind"), c.Cause)
}

// Unchecked returns an error if nothing was found in the container, and kinds that may be listed at another time were not listed. Such a container must
// neither be deleted nor be kept for good.
func (c *Contents) Unchecked() error {
	if c == nil || c.Count > 0 || !c.Incomplete {
		return nil
	}
	return fmt.Errorf("its deletion would delete what is in it, and %s could not be listed: %s. It stays, and the next run checks it again",
		named(c.Unseen, c.UnseenCount, "kind"), c.Cause)
}

// named lists names and counts those that are not among them.
func named(names []string, count int, what string) string {
	switch more := count - len(names); {
	case more > 1:
		return fmt.Sprintf("%s and %d more %ss", strings.Join(names, ", "), more, what)
	case more == 1:
		return strings.Join(names, ", ") + " and 1 more " + what
	case len(names) > 1:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	default:
		return strings.Join(names, "")
	}
}
