package placement

// These are the enumerations of the arguments that are not from KubeFleet. Each has a Values function, which validators and documentation share.
type (
	WaitUntil string
	// Severity says how the plan or the apply reports a problem.
	Severity string
)

const (
	WaitUntilAvailable WaitUntil = "Available"
	WaitUntilApplied   WaitUntil = "Applied"

	Warn  Severity = "Warn"
	Error Severity = "Error"
)

// Values returns the values in the order in which they are documented.
func (WaitUntil) Values() []string { return []string{"Available", "Applied"} }

// Values returns the values in the order in which they are documented.
func (Severity) Values() []string { return []string{string(Warn), string(Error)} }
