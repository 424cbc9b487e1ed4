// Package session contains the data that all resources of one plan or one apply share.
package session

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// PreviewMode is the provider's setting for cluster checks during a plan.
type PreviewMode string

const (
	// PreviewAuto checks the reachable clusters and reports the others.
	PreviewAuto PreviewMode = "Auto"
	// PreviewRequired makes a plan fail if it cannot check every cluster.
	PreviewRequired PreviewMode = "Required"
	// PreviewOff checks no cluster.
	PreviewOff PreviewMode = "Off"
)

// Values lists the values in the order in which they are documented.
func (PreviewMode) Values() []string {
	return []string{string(PreviewAuto), string(PreviewRequired), string(PreviewOff)}
}

// Workloads reads workloads from the members, without an engine.
type Workloads interface {
	// Read reads a workload and the objects that belong to it. It returns [engine.ErrNotFound] if the workload does not exist.
	Read(ctx context.Context, request workload.Request) (*workload.Found, error)
	// List returns the unmanaged workloads, and the members that could not be checked.
	List(ctx context.Context, request workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error)
}

// Owners reads from the members who owns their objects, without an engine.
type Owners interface {
	// Read reads the owner of one object. It returns [engine.ErrNotFound] if the object does not exist.
	Read(ctx context.Context, request owners.Request) (*owners.Found, error)
	// List returns the objects of a member with their owners.
	List(ctx context.Context, request owners.ListRequest) (*owners.Listed, error)
}

// Readers read from the members without an engine.
type Readers struct {
	Workloads Workloads
	Owners    Owners
}

// Session is the data that the provider's Configure passes to every resource.
type Session struct {
	// Engine and the Readers are nil while parts of the provider configuration are unknown.
	Engine engine.Engine
	Readers

	Preview PreviewMode
	// Applying reports whether the process applies a plan. It is only set if the configuration passes terraform.applying.
	Applying bool

	// Members, Overrides and Envelopes are the ones in the state of this run, as far as Terraform has read the state. Overrides also has the overrides that
	// resources plan. The plan that replaces a tainted resource needs these sets, because Terraform does not pass the prior state to this plan.
	Members   Set[string]
	Overrides Set[override.Reference]
	Envelopes Set[engine.Reference]

	mu sync.Mutex
	// isApplying is set by [Session.ReadyToWrite] and [Session.RecordAppliedPlan].
	isApplying bool
	placements map[string]*placementInRun
	// turns are the locks for [Session.TakeTurns], by the name of a placement. A channel is full while its lock is held. The lock of [Session.TakeTurn] has the
	// empty name.
	turns map[string]chan struct{}
	// world contains the changes that are planned by now and not yet applied.
	world engine.World
	// plannedMembers are the configurations of the members that are planned by now and not yet applied.
	plannedMembers map[string]*tftypes.Value
	// removals are the removals with which the run's replacements begin, by the argument what of [Session.PlanRemoval].
	removals map[string]engine.World
	// kinds are the kinds that planned placements define, and namespaces the Namespaces that they create, until the placements are applied.
	kinds      engine.Kinds
	namespaces engine.Namespaces
	progress   progress
	run        run
}

// From returns the session in the provider data that the framework passes to a resource. It returns nil before the provider is configured, as during
// validation.
func From(data any, diags *diag.Diagnostics) *Session {
	if data == nil {
		return nil
	}
	session, ok := data.(*Session)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("The provider passed %T to a resource. This is a bug in the provider.", data))
	}
	return session
}

// Ready returns the engine. If the provider configuration is not known yet, it adds an error and returns nil.
func (s *Session) Ready(diags *diag.Diagnostics) engine.Engine {
	if s == nil || s.Engine == nil {
		diags.AddError("The provider configuration is not known yet",
			"An argument of the provider configuration depends on a resource that has not been applied. Apply that resource first "+
				"(terraform apply -target=...), then apply again.")
		return nil
	}
	return s.Engine
}
