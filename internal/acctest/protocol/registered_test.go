package protocol

import "testing"

// TestRegisteredElsewhere checks what a plan says to a configuration that registers the member of another configuration.
func TestRegisteredElsewhere(t *testing.T) {
	t.Parallel()
	rejects(t, New().Plan(t.Context(), withoutHub(t)+registered("")), `A registration of member "member-1" exists already on member-1\. Import it \(ID "member-1"\) if this `+
		`configuration is to manage it, or remove this resource if another configuration registers the member: placements do not need it\.`)
}
