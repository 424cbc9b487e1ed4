package placement

// The enumerations of the arguments that are not KubeFleet's. Each has a Values function, which validators and documentation share.
type (
	// WaitUntil says what an apply waits for.
	WaitUntil string
	// Severity is how the plan or the apply reports a problem.
	Severity string
)

// The values of the enumerations.
const (
	WaitUntilAvailable WaitUntil = "Available"
	WaitUntilApplied   WaitUntil = "Applied"

	Warn  Severity = "Warn"
	Error Severity = "Error"
)

// Values lists the values in the order in which they are documented.
func (WaitUntil) Values() []string { return []string{"Available", "Applied"} }

// Values lists the values in the order in which they are documented.
func (Severity) Values() []string { return []string{string(Warn), string(Error)} }
