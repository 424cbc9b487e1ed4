// Package session holds what all resources of one provider process share.
package session

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PreviewMode is the provider's setting for cluster checks during a plan.
type PreviewMode string

// The preview modes.
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

// Session is the data that the provider's Configure passes to every resource.
type Session struct {
	// Engine and Workloads are nil while parts of the provider configuration are unknown.
	Engine    engine.Engine
	Workloads Workloads
	Preview   PreviewMode
	// Applying reports whether the process applies a plan. It is only set if the configuration passes terraform.applying.
	Applying bool

	phase phase
	mu    sync.Mutex
	// turns are locks by the placement's name. A turn is full while it is taken: by an apply or a removal of the placement, or of one that takes objects over
	// from it. The turn with the empty name is taken by a resource that has compared its change with the plan and has not written it yet.
	turns map[string]chan struct{}
	// world contains the changes that are planned by now and not yet applied.
	world engine.World
	// members are the members in the state of this run.
	members map[string]bool
	// plannedMembers are the configurations of the members that are planned by now and not yet applied.
	plannedMembers map[string]tftypes.Value
	// overrides are the overrides that resources of this run manage.
	overrides map[override.Reference]bool
	// envelopes are the envelopes in the state of this run.
	envelopes map[engine.Reference]bool
	// removals are the deletions with which the run's replacements begin, by a key of the planned resource.
	removals map[string]engine.World
	// claims are the objects that each placement owns according to its plan, until the placement is applied.
	claims map[string]engine.Claims
	// applied are the placements whose apply has ended in this process.
	applied map[string]bool
	// existing are the placements in the state of this run, by their planned names.
	existing map[string]engine.Placement
	// plannedConfigs are the configurations of the placements that are planned by now and not yet applied.
	plannedConfigs map[string]tftypes.Value
	// formerNames are the current names of placements that are planned to be renamed.
	formerNames map[string]bool
	// types are the planned types of the placements.
	types map[string]placement.PlacementType
	// destroys are the placements that are planned to be destroyed.
	destroys map[string]bool
	// occupied are the deletions that plans make conditional on the removal of other placements, by the placement that is planned.
	occupied map[string][]engine.Occupied
	// placements are the placements that resources have planned by now; dataPreviews are those that data sources have previewed. Both are by name.
	placements   map[string]PlannedPlacement
	dataPreviews map[string]dataPreview
	// kinds are the kinds that placements define which are planned and not yet applied. lacks are the kinds that such placements need and that no placement
	// is known to define.
	kinds engine.Kinds
	lacks map[string][]engine.Lack
	// namespaces are the Namespaces that such placements create.
	namespaces engine.Namespaces
	// definers are the placements whose manifests define kinds, by name.
	definers map[string]definer
	// progress tracks the operations on placements.
	progress progress
	run      run
	// successors are placements that this run has created and that could not place objects of another placement, by the name of that other placement.
	successors map[string]Successor
	handOvers  handOvers
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

// Ready returns the engine, or adds an error if the provider configuration is not known yet.
func (s *Session) Ready(diags *diag.Diagnostics) engine.Engine {
	if s == nil || s.Engine == nil {
		diags.AddError("The provider configuration is not known yet",
			"An argument of the provider configuration depends on a resource that has not been applied. Apply that resource first "+
				"(terraform apply -target=...), then apply again.")
		return nil
	}
	return s.Engine
}
