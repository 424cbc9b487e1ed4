package member

// The enumerations of the CRD, in its spelling. Each has a Values function, which validators and documentation share.
type (
	// TaintEffect says what a taint keeps off.
	TaintEffect string
	// IdentityKind is the kind of subject that an agent is.
	IdentityKind string
	// ValidationMode says whether a member may be removed that something is still placed on.
	ValidationMode string
	// OnUnreachable says what happens when a member is to be removed that does not answer.
	OnUnreachable string
)

// The values of the enumerations.
const (
	NoSchedule TaintEffect = "NoSchedule"

	ServiceAccount IdentityKind = "ServiceAccount"
	User           IdentityKind = "User"
	Group          IdentityKind = "Group"

	StrictValidation ValidationMode = "Strict"
	SkipValidation   ValidationMode = "Skip"

	ForgetUnreachable OnUnreachable = "Forget"
	FailUnreachable   OnUnreachable = "Error"
)

// Values lists the values in the order in which they are documented.
func (TaintEffect) Values() []string { return []string{"NoSchedule"} }

// Values lists the values in the order in which they are documented.
func (IdentityKind) Values() []string { return []string{"ServiceAccount", "User", "Group"} }

// Values lists the values in the order in which they are documented.
func (ValidationMode) Values() []string { return []string{"Strict", "Skip"} }

// Values lists the values in the order in which they are documented.
func (OnUnreachable) Values() []string { return []string{"Forget", "Error"} }
