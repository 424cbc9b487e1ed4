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

// PreviewMode says how a plan looks at the clusters.
type PreviewMode string

// The preview modes.
const (
	// PreviewAuto looks at what can be reached and says what could not.
	PreviewAuto PreviewMode = "Auto"
	// PreviewRequired makes a plan fail that could not look at every cluster.
	PreviewRequired PreviewMode = "Required"
	// PreviewOff looks at nothing.
	PreviewOff PreviewMode = "Off"
)

// Values lists the values in the order in which they are documented.
func (PreviewMode) Values() []string {
	return []string{string(PreviewAuto), string(PreviewRequired), string(PreviewOff)}
}

// Workloads reads what runs on the members. No engine is asked.
type Workloads interface {
	// Read reads a workload with what belongs to it; what does not exist is [engine.ErrNotFound].
	Read(ctx context.Context, request workload.Request) (*workload.Found, error)
	// List finds the workloads that nobody looks after, and says which members could not be looked at.
	List(ctx context.Context, request workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error)
}

// Session is handed to every resource by the provider's Configure.
type Session struct {
	// Engine and Workloads are nil while parts of the provider configuration are unknown.
	Engine    engine.Engine
	Workloads Workloads
	Preview   PreviewMode
	// Applying says that a plan is carried out, if the configuration tells (terraform.applying).
	Applying bool

	phase phase
	mu    sync.Mutex
	// turns are full while somebody has them, by the name of the placement: an apply or a removal of the placement, or of one that takes objects over from
	// it. That of no placement belongs to a resource that has compared its change with the plan and has not written it yet.
	turns map[string]chan struct{}
	// world is what is planned by now and not applied.
	world engine.World
	// members are those that the state of this run has.
	members map[string]bool
	// plannedMembers are the configurations of the members that are planned by now and not applied.
	plannedMembers map[string]tftypes.Value
	// overrides are those that resources of this run manage.
	overrides map[override.Reference]bool
	// envelopes are those that the state of this run has.
	envelopes map[engine.Reference]bool
	// removals are what is removed first by resources that the run replaces, by what the resources are going to be.
	removals map[string]engine.World
	// claims are what each placement that is planned by now, and not applied, makes its own.
	claims map[string]engine.Claims
	// applied are the placements whose apply has ended in this process.
	applied map[string]bool
	// existing are the placements that the state of this run has, by the name that they are planned under.
	existing map[string]engine.Placement
	// planned are the configurations of the placements that are planned by now and not applied.
	planned map[string]tftypes.Value
	// renamed are the former names of placements that are planned to be renamed.
	renamed map[string]bool
	// types are those that placements are planned to have.
	types map[string]placement.PlacementType
	// going are the placements that are planned to be destroyed.
	going map[string]bool
	// occupied are what plans delete on the condition that other placements are removed, by the placement.
	occupied map[string][]engine.Occupied
	// placements are what resources have planned by now, previewed what data sources have, by name.
	placements map[string]PlannedPlacement
	previewed  map[string]previewed
	// kinds are those that placements bring which are planned and not applied yet, lacks those that such placements need and no placement is known to bring.
	kinds engine.Kinds
	lacks map[string][]engine.Lack
	// namespaces are those that such placements create.
	namespaces engine.Namespaces
	// definers are the placements whose manifests define kinds, by name.
	definers map[string]definer
	// progress is how far the operations on placements have got.
	progress progress
	run      run
	// successors are placements that this run has created, by the name of the one whose objects they could not have.
	successors map[string]Successor
	handOvers  handOvers
}

// From takes the session out of what the framework hands to a resource. It is nil before the provider is configured, which is so during
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
