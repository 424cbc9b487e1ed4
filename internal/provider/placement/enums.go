package placement

// The enumerations of the arguments that are not KubeFleet's. Each has a Values function, which validators and documentation share.
type (
	// WaitUntil says what an apply waits for.
	WaitUntil string
	// Severity says what something is that is not as it was wanted.
	Severity string
)

// The values of the enumerations.
const (
	WaitUntilAvailable WaitUntil = "Available"
	WaitUntilApplied   WaitUntil = "Applied"

	Warn  Severity = "warn"
	Error Severity = "error"
)

// Values lists the values in the order in which they are documented.
func (WaitUntil) Values() []string { return []string{"Available", "Applied"} }

// Values lists the values in the order in which they are documented.
func (Severity) Values() []string { return []string{"warn", "error"} }
