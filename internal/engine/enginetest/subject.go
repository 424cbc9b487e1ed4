package enginetest

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Subject is an engine under test.
type Subject struct {
	// Name is the value of the provider argument "engine".
	Name string
	// New makes an engine that knows nothing yet and reaches the clusters with these clients. It dials nothing.
	New func(clients Clients) engine.Engine
	// NeedsHub says that the engine can do nothing without a hub.
	NeedsHub bool
	// Prepare makes what the engine drives of the clusters, before anything else is asked of it, and returns what ends that; nil for an engine
	// that works on clusters as they are.
	Prepare func(ctx context.Context, f *Fleet) (end func(), err error)
	// Keeps are namespaces that the engine makes on the clusters of a fleet for itself.
	Keeps []string
	// Marked tells whether an object on a member is marked as a placement's own.
	Marked func(live *unstructured.Unstructured) bool
	// Records are objects on a member, named as a world names them, in which the engine openly keeps what it knows of a placement.
	Records func(placement string) []string
	// Supply brings manifests to where the engine places objects from; nil for an engine that takes them with the placement.
	Supply func(w *World, request Request) Supplied
	// Hold keeps others who apply what a placement places by themselves from doing so, until it is released; nil where nobody does, or they
	// cannot be kept.
	Hold func(placement string) (release func())
	// Takes says why a Namespace or definition takes everything with it that is in it, and the cases of what holds one back cannot come about;
	// empty for an engine that holds them back.
	Takes string
	// Namespaces says why Namespaces are not placed as other objects are, and stay; empty for an engine that places them as it is asked to.
	Namespaces string
	// Work makes the Work on a hub that an AppliedWork of its name on a member stands for; nil for an engine that knows no hub of KubeFleet.
	Work func(w *World, member, name string)
	// MarksFirst says that an object is marked by a write of its own, also where the one after it is refused, or the object only reported on.
	MarksFirst bool
	// Rewords says that others put the answers of API servers into words of their own, so that what is foreseen of these is the reason alone.
	Rewords bool
	// Brief names groups, and single cases of others, that the engine is held to where not all are asked for: what unit tests of the parts that
	// engines share cannot see. nil is all of them.
	Brief []string
	// Whole names the groups of the whole contract of the engine. nil is all groups.
	Whole []string
	// Kept are manifests of objects on the hub by the noun that the engine keeps in one and knows by its UID. Their name is the world's.
	Kept map[Noun]string
	// Recorded are manifests of records on a member by the noun that the engine knows by the identity in its record, $identity.
	Recorded map[Noun]string
	// Settle waits until others have done what an apply has asked them to; nil for an engine that does everything itself.
	Settle func(ctx context.Context, e engine.Engine, placement string) error
	// Tidy removes what the engine has kept of a placement, and leaves what was placed. It does not wait.
	Tidy func(ctx context.Context, w *World, placement string) error
	// Deviations are what the engine does otherwise than KubeFleet.
	Deviations Deviations
}

// Supplied is a placement of manifests that are elsewhere.
type Supplied struct {
	Request Request
	// Put writes what the request says to be planned.
	Put func(ctx context.Context) error
}

// Clients are an engine's connections.
type Clients struct {
	// Hub is nil for an engine without one.
	Hub     *kube.Cluster
	Members map[string]*kube.Cluster
}

// Deviations are by the names of cases.
type Deviations map[string]Deviation

// Deviation is what an engine does otherwise than KubeFleet in one case. What is zero is as it is with KubeFleet.
type Deviation struct {
	// Why says in a sentence what is different, and for what reason.
	Why string
	// Impossible says that the case cannot come about.
	Impossible bool
	// Want replaces what is foreseen and comes to be.
	Want *Want
	// Becomes is the reason that the status gives for an object that is not applied, where that is not foreseen.
	Becomes string
	// ReadOnly replaces what is foreseen with credentials that may only read.
	ReadOnly takeover.Action
	// Altered says that API servers make something else of what is placed.
	Altered bool
	// Fails is a part of the error with which the preview and the apply end, rather than with any outcome.
	Fails string
	// After replaces the look at the member when all is done.
	After func(c *Case)
	// Ends replaces what the status of an example ends in.
	Ends *Ends
}

// known fails the test if the description names a case or group that there is not, or gives no reason for a deviation.
func (s Subject) known(t *testing.T) {
	t.Helper()
	names := map[string]bool{}
	for _, name := range caseNames() {
		names[name] = true
	}
	for name, deviation := range s.Deviations {
		if !names[name] {
			t.Errorf("the engine is said to differ in %q, and there is no such case", name)
		}
		if deviation.Why == "" {
			t.Errorf("the engine differs in %q for no reason", name)
		}
	}
	groups := namesByGroup()
	for _, name := range slices.Concat(s.Brief, s.Whole) {
		if !names[name] && groups[name] == nil {
			t.Errorf("the engine is held to %q, and there is no such case or group", name)
		}
	}
}
