package kubeadmiral_test

import (
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
)

// An apply does not wait for a workload that lacks an object on a member, as the plan has shown.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	e := w.Past().(*kubeadmiral.Engine)
	patient := pace
	patient.Retry = time.Hour
	e.SetPace(patient)
	w.MissingReferenceOnHub(e)
}
