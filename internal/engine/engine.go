package engine

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Engine is one way to run a fleet. It is safe for concurrent use.
//
// A prior value is the result of the last operation on the thing, or nil. An apply without a prior value creates the thing, and a read without one is an
// import. If the prior value has a UID, and the object of that name now has another UID, a read, an apply, a preview and a delete return a [ReplacedError] and
// write nothing. This does not apply to members with adopt_existing. For overrides that are stored on members, the error is a [ManagedElsewhereError].
type Engine interface {
	Members
	Envelopes
	Placements
	Overrides
	StagedUpdates
	Disruptions
	Lists
}

// Limitation is a setting of the user that the engine does not support. The methods Check... of an [Engine] list limitations without a request to a cluster.
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

// Danger is an effect of a setting, or of its absence, that few users of this engine expect.
type Danger struct {
	Path placement.Path
	// Title is a short description of the effect. Titles are unique: Terraform shows only the first of several warnings with the same title.
	Title   string
	Message string
}
