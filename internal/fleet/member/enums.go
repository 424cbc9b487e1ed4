package member

// The enumerations of the CRD, in its spelling, and OnUnreachable, which the CRD does not have. Each has a Values method for validators and documentation.
type (
	// IdentityKind is the kind of subject of an agent.
	IdentityKind string
	// ValidationMode decides whether a member with placements may be removed.
	ValidationMode string
	// OnUnreachable decides what happens if a member that is to be removed is unreachable.
	OnUnreachable string
)

const (
	ServiceAccount IdentityKind = "ServiceAccount"
	User           IdentityKind = "User"
	Group          IdentityKind = "Group"

	StrictValidation ValidationMode = "Strict"
	SkipValidation   ValidationMode = "Skip"

	ForgetUnreachable OnUnreachable = "Forget"
	FailUnreachable   OnUnreachable = "Error"
)

// Values lists the values in the order in which they are documented.
func (IdentityKind) Values() []string { return []string{"ServiceAccount", "User", "Group"} }

// Values lists the values in the order in which they are documented.
func (ValidationMode) Values() []string { return []string{"Strict", "Skip"} }

// Values lists the values in the order in which they are documented.
func (OnUnreachable) Values() []string { return []string{"Forget", "Error"} }
