package kubeadmiral_test

import (
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
)

// An apply does not wait for a workload if the plan has shown that an object to which the workload refers is missing on a member.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	e := w.Past().(*kubeadmiral.Engine)
	patient := pace
	patient.Retry = time.Hour
	e.SetPace(patient)
	w.MissingReference(e, w.NeedingOnHub())
}

// TestMissingReferenceIsPruned checks that a plan that deletes an object and restarts a workload whose Pods need the object warns that the workload will not
// become available.
func TestMissingReferenceIsPruned(t *testing.T) {
	t.Parallel()
	fleet.World(t, 1).PrunedReference("{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
}

// An apply waits for a workload whose missing object is created shortly after the workload, for example by another placement in the same run.
func TestMissingReferenceThatArrives(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.ArrivingReference(w.NeedingOnHub())
}
