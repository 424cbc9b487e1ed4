package kubefleet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An apply does not wait for a workload that lacks an object on a member, as the plan has shown.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	e := w.Past().(*kubefleet.Engine)
	patient := pace
	patient.Retry = time.Hour
	e.SetPace(patient)
	w.MissingReference(e, w.NeedingOnHub())
}

// TestMissingReferenceIsPruned checks that a plan that deletes an object and restarts a workload whose Pods need the object warns that the workload will not
// become available.
func TestMissingReferenceIsPruned(t *testing.T) {
	t.Parallel()
	in := strings.NewReplacer("namespace: $ns", "namespace: $ns-app")
	w := newEnveloped(t, placement.ApplyStrategy{}, in.Replace(enginetest.Needing), in.Replace(enginetest.Account))
	w.DeleteAtEnd(w.request)
	w.apply()
	account := manifest.Identifier{Version: "v1", Kind: "ServiceAccount", Namespace: w.Expand("$ns-app"), Name: "runner"}
	for template, want := range map[string][]string{"image: nginx": nil, "image: nginx:new": w.Members} {
		changed := w.envelope.Spec
		changed.Manifests = w.Manifests(in.Replace(strings.Replace(enginetest.Needing, "image: nginx", template, 1)))
		if preview, _ := w.previewWith(&changed); !slices.Equal(enginetest.LackOf(preview, account), want) {
			t.Errorf("%s: the plan shows the lack on %v: %+v", template, enginetest.LackOf(preview, account), preview.Clusters)
		}
	}
}

// An apply waits for a workload whose missing object is created right after the workload, as another placement of the run does.
func TestMissingReferenceThatArrives(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.ArrivingReference(w.NeedingOnHub())
}
