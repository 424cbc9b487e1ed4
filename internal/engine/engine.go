package engine

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Engine is one way of running a fleet. It is safe for concurrent use.
//
// The convention of its methods: a prior value is what the last operation on the thing left behind. It is nil where there is none, so that
// an apply without one is to make a new thing, and a read without one is an import. A prior value that has a UID is of that object: if another object
// has its name, a read, an apply, a preview and a delete return a [ReplacedError] and write nothing.
type Engine interface {
	Members
	Envelopes
	Placements
	Overrides
	StagedUpdates
	Disruptions
	Lists
}

// Limitation is something that the user wrote and that the engine cannot express. Every noun has a Check method that lists them; it asks no
// cluster.
type Limitation struct {
	// Path is the attribute that asks for it.
	Path    placement.Path
	Message string
	// Title is the summary of the message; empty for one that names the attribute.
	Title string
	// Ignored says that the value is kept and has no effect, rather than refused.
	Ignored bool
	// Removable says of what a member lacks that it is removed from the fleet without it.
	Removable bool
}

// Unconnected is the limitation that the provider has no connection to a member.
func Unconnected(at placement.Path, member, message string) Limitation {
	return Limitation{Path: at, Title: fmt.Sprintf("The provider has no connection to the member %q", member), Message: message}
}

// Danger is something that the user wrote, or left out, and that does on this engine what few expect.
type Danger struct {
	// Path is the attribute that causes it.
	Path placement.Path
	// Title is what happens in a few words. No two dangers have one: Terraform shows only the first of warnings with the same title.
	Title string
	// Message says what happens, and what to do to avoid it.
	Message string
}
