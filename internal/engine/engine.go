package engine

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Engine is one way to run a fleet. It is safe for concurrent use.
//
// Its methods have a convention: a prior value is the result of the last operation on the thing. It is nil if there is none, so that an apply
// without one creates a new thing, and a read without one is an import. If a prior value has a UID, it identifies that object: if another
// object has its name, a read, an apply, a preview and a delete return a [ReplacedError] and write nothing.
type Engine interface {
	Members
	Envelopes
	Placements
	Overrides
	StagedUpdates
	Disruptions
	Lists
}

// Limitation is a setting of the user that the engine cannot express. Every noun has a Check method that lists its limitations without a
// request to a cluster.
type Limitation struct {
	// Path is the attribute with the setting.
	Path    placement.Path
	Message string
	// Title is the summary of the message; empty for a summary that names the attribute.
	Title string
	// Ignored means that the value is stored and has no effect, instead of being rejected.
	Ignored bool
	// Removable means that a member can be removed from the fleet despite the limitation.
	Removable bool
}

// Unconnected returns the limitation that the provider has no connection to a member.
func Unconnected(at placement.Path, member, message string) Limitation {
	return Limitation{Path: at, Title: fmt.Sprintf("The provider has no connection to the member %q", member), Message: message}
}

// Danger is a setting, or a missing one, with an effect on this engine that few users expect.
type Danger struct {
	// Path is the attribute that causes it.
	Path placement.Path
	// Title is a short description of the effect. Titles are unique: Terraform shows only the first of several warnings with the same title.
	Title string
	// Message describes the effect and how to avoid it.
	Message string
}
