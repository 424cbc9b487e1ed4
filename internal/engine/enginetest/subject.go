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
	// New returns an engine that uses these clients and has cached nothing. New opens no connection.
	New func(clients Clients) engine.Engine
	// NeedsHub: the engine cannot work without a hub.
	NeedsHub bool
	// Prepare starts the processes that the engine needs on the clusters, before any other call, and returns a function that stops them. It is nil for an
	// engine that needs none.
	Prepare func(ctx context.Context, f *Fleet) (end func(), err error)
	// OwnNamespaces are the namespaces that the engine creates for itself on the clusters of a fleet.
	OwnNamespaces []string
	// Marked reports whether an object on a member has a placement's mark.
	Marked func(live *unstructured.Unstructured) bool
	// Records returns the objects on a member in which the engine stores its records of a placement in plain text, such as "v1 ConfigMap it".
	Records func(placement string) []string
	// Supply moves manifests to where the engine selects objects, nil for an engine whose placements have manifests.
	Supply func(w *World, request Request) Supplied
	// Pause stops agents from applying a placement until release is called. It is nil if the engine has no agents, or if they cannot be stopped.
	Pause func(placement string) (release func())
	// Takes is the reason why the engine deletes a Namespace or definition together with its contents. It is empty for an engine that keeps a Namespace or
	// definition with contents.
	Takes string
	// Namespaces is the reason why the engine does not place Namespaces like other objects, and does not delete them. It is empty for an engine that places
	// Namespaces as requested.
	Namespaces string
	// Work creates, on a hub, the Work for the AppliedWork with this name on the member. It is nil for an engine without a KubeFleet hub.
	Work func(w *World, member, name string)
	// MarksFirst: the engine marks an object with a separate write, even if the next write is rejected or the object is only reported on.
	MarksFirst bool
	// Rewords: the control plane rewords API servers' answers, so that only the reason can be predicted.
	Rewords bool
	// Brief names the groups, and single cases of other groups, that run by default. The unit tests of shared packages cover the other cases. If Brief is nil,
	// all cases run by default.
	Brief []string
	// Groups names the groups of the whole contract of the engine. nil is all groups.
	Groups []string
	// Kept maps each noun that the engine stores as an object on the hub, identified by UID, to a manifest of such an object. The object has the world's name.
	Kept map[Noun]string
	// Recorded maps each noun that the engine stores in a record on a member to a manifest of such a record. $identity is the identity in the record.
	Recorded map[Noun]string
	// Settle waits until the control plane has completed an apply. It is nil for an engine that completes an apply itself.
	Settle func(ctx context.Context, e engine.Engine, placement string) error
	// Tidy removes the engine's records of a placement. The placed objects may remain. Tidy does not wait.
	Tidy func(ctx context.Context, w *World, placement string) error
	// Deviations are the cases in which the engine differs from KubeFleet.
	Deviations Deviations
}

// Supplied is a placement whose manifests are stored elsewhere.
type Supplied struct {
	Request Request
	// Put writes the manifests.
	Put func(ctx context.Context) error
}

// Clients are an engine's connections.
type Clients struct {
	// Hub is nil for an engine without a hub.
	Hub     *kube.Cluster
	Members map[string]*kube.Cluster
}

// Deviations maps the names of cases to deviations.
type Deviations map[string]Deviation

// Deviation is how an engine differs from KubeFleet in one case. Zero fields do not differ.
type Deviation struct {
	// Why states the difference and its reason in a sentence.
	Why string
	// Impossible: the case cannot occur.
	Impossible bool
	// Want replaces the predicted result.
	Want *Want
	// Becomes is the reason in the status of an object that is not applied although the preview did not predict that.
	Becomes string
	// ReadOnly is the predicted action with read-only credentials, if it differs.
	ReadOnly takeover.Action
	// Altered: API servers change the placed objects.
	Altered bool
	// Fails is a part of the error that both the preview and the apply return instead of a result.
	Fails string
	// After replaces the final check of the member.
	After func(c *Case)
	// Ends replaces the final status of an example.
	Ends *Ends
}

// checkNames checks that the description names only existing cases and groups, and gives a reason for every deviation.
func (s Subject) checkNames(t *testing.T) {
	t.Helper()
	names := map[string]bool{}
	for _, name := range caseNames() {
		names[name] = true
	}
	for name, deviation := range s.Deviations {
		if !names[name] {
			t.Errorf("a deviation names %q, but no such case exists", name)
		}
		if deviation.Why == "" {
			t.Errorf("the deviation %q has no reason", name)
		}
	}
	groups := namesByGroup()
	for _, name := range slices.Concat(s.Brief, s.Groups) {
		if !names[name] && groups[name] == nil {
			t.Errorf("Brief or Groups names %q, but no such case or group exists", name)
		}
	}
}
