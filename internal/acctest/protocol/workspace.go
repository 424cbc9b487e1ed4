package protocol

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
)

// Workspace has the state of one configuration, like a folder in which Terraform runs.
type Workspace struct {
	state map[string]object
}

// New returns a workspace with an empty state.
func New() *Workspace { return &Workspace{state: map[string]object{}} }

// Result is the result of a run.
type Result struct {
	// Changes are the planned changes by address. They are incomplete after an error.
	Changes map[string]Change
	// Failed: there are errors.
	Failed bool
	// Diagnostics are the errors and warnings as Terraform prints them.
	Diagnostics []string
}

// String returns the output of the run: the errors, the warnings, and planned_changes of each resource.
func (r Result) String() string {
	texts := slices.Clone(r.Diagnostics)
	for _, address := range slices.Sorted(maps.Keys(r.Changes)) {
		if text, ok := Lookup(r.Changes[address].After, planonly.Attribute).(string); ok {
			texts = append(texts, address+": "+text)
		}
	}
	return strings.Join(texts, "\n")
}

// run is a plan, possibly with its apply.
type run struct {
	*process
	provider *block
	blocks   []block
	scope    scope
	// prior is the state after the refresh.
	prior   map[string]*object
	changes map[string]Change
}

// State returns the state of a resource, null if it has none.
func (w *Workspace) State(address string) cty.Value {
	if one, found := w.state[address]; found {
		return one.value
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

// Validate validates a configuration without reading any cluster.
func (w *Workspace) Validate(ctx context.Context, text string) Result {
	r, ok := begin(text)
	if ok {
		r.validate(ctx)
	}
	return r.result()
}

// Plan plans a configuration. It does not change the state.
func (w *Workspace) Plan(ctx context.Context, text string) Result {
	r, ok := begin(text)
	if ok && r.validate(ctx) && r.configure(ctx) {
		r.plan(ctx, w.state)
	}
	return r.result()
}

// Apply plans a configuration and applies the plan.
func (w *Workspace) Apply(ctx context.Context, text string) Result {
	return w.Save(ctx, text).Apply(ctx)
}

// SavedPlan is a plan that can be applied later, once.
type SavedPlan struct {
	Result

	run       *run
	workspace *Workspace
	// complete: planning has succeeded.
	complete bool
}

// Save plans a configuration for a later apply.
func (w *Workspace) Save(ctx context.Context, text string) *SavedPlan {
	r, ok := begin(text)
	complete := ok && r.validate(ctx) && r.configure(ctx) && r.plan(ctx, w.state)
	return &SavedPlan{Result: r.result(), run: r, workspace: w, complete: complete}
}

// Apply applies the plan unless planning has failed. The result also has the plan's diagnostics.
func (p *SavedPlan) Apply(ctx context.Context) Result {
	if p.complete {
		p.run.apply(ctx, p.workspace.state)
	}
	return p.run.result()
}

// Taint marks a resource as tainted, so that the next plan replaces it.
func (w *Workspace) Taint(address string) {
	one := w.state[address]
	one.tainted = true
	w.state[address] = one
}

// Import imports an existing object by ID, under the address of a resource of the configuration.
func (w *Workspace) Import(ctx context.Context, text, address, id string) Result {
	return w.importState(ctx, text, address, &tfprotov6.ImportResourceStateRequest{ID: id})
}

// ImportByIdentity does the same as [Workspace.Import], with the identity that the state of other has for this address.
func (w *Workspace) ImportByIdentity(ctx context.Context, text, address string, other *Workspace) Result {
	return w.importState(ctx, text, address, &tfprotov6.ImportResourceStateRequest{Identity: other.state[address].identity})
}

func (w *Workspace) importState(ctx context.Context, text, address string, request *tfprotov6.ImportResourceStateRequest) Result {
	r, ok := begin(text)
	if !ok || !r.configure(ctx) {
		return r.result()
	}
	b := blockOf(address)
	request.TypeName = b.typeName
	response, err := r.server.ImportResourceState(ctx, request)
	if !r.addError(address, err) || !r.addProvider(address, response.Diagnostics) {
		return r.result()
	}
	for _, one := range response.ImportedResources {
		value, err := r.resources[b.typeName].value(one.State)
		if !r.addError(address, err) {
			break
		}
		found, ok := r.refresh(ctx, b, &object{value: value, private: one.Private, identity: one.Identity})
		switch {
		case !ok:
		case found == nil:
			r.error(address, "Cannot import non-existent remote object", "The provider detected that no object exists with the given id.")
		default:
			w.state[address] = *found
		}
	}
	return r.result()
}

// blockOf returns a resource block without a body for an address.
func blockOf(address string) block {
	typeName, name, _ := strings.Cut(address, ".")
	return block{kind: "resource", typeName: typeName, name: name}
}

// begin parses a configuration and starts the provider.
func begin(text string) (*run, bool) {
	r := &run{process: &process{diagnostics: &diagnostics{}}, scope: scope{}, prior: map[string]*object{}, changes: map[string]Change{}}
	provider, blocks, diags := parse(text)
	r.provider, r.blocks = provider, blocks
	if !r.addConfiguration("", diags) || !r.start() {
		return r, false
	}
	if provider == nil {
		r.provider = &block{kind: "provider", name: "fleet", body: hcl.EmptyBody()}
	}
	return r, true
}

// start starts a provider process.
func (r *run) start() bool {
	known, err := ownSchemas()
	r.process = &process{server: newServer(), schemas: known, diagnostics: r.diagnostics}
	return r.addError("", err)
}

func (r *run) result() Result {
	return Result{Changes: r.changes, Failed: r.failed, Diagnostics: r.texts}
}

// validate validates all blocks. If they are valid, it drops the warnings, because planning a block repeats them.
func (r *run) validate(ctx context.Context) bool {
	kept := r.diagnostics
	r.diagnostics = &diagnostics{}
	names := unknown(r.blocks).context()
	ok := r.process.configure(ctx, r.provider, true, names)
	for _, b := range r.blocks {
		_, valid := r.process.validate(ctx, b, names)
		ok = ok && valid
	}
	if ok {
		r.diagnostics = kept
	}
	return ok
}

// configure configures the provider, which depends on no planned value.
func (r *run) configure(ctx context.Context) bool {
	return r.process.configure(ctx, r.provider, false, r.scope.context())
}

// plan plans the deletions, and then the blocks in the order of the text. It stops at the first error.
func (r *run) plan(ctx context.Context, state map[string]object) bool {
	for _, address := range r.orphans(state) {
		b := blockOf(address)
		found, ok := r.refresh(ctx, b, new(state[address]))
		if !ok {
			return false
		}
		if r.prior[address] = found; found == nil {
			continue
		}
		if r.changes[address], ok = r.process.plan(ctx, b, found, r.resources[b.typeName].null()); !ok {
			return false
		}
	}
	for _, b := range r.blocks {
		if !r.planBlock(ctx, b, state) {
			return false
		}
	}
	return true
}

// orphans returns the resources of the state that are no longer configured.
func (r *run) orphans(state map[string]object) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(state)), func(address string) bool {
		return slices.ContainsFunc(r.blocks, func(b block) bool { return b.address() == address })
	})
}

func (r *run) planBlock(ctx context.Context, b block, state map[string]object) bool {
	address := b.address()
	config, ok := r.process.validate(ctx, b, r.scope.context())
	if !ok {
		return false
	}
	if b.kind == "data" {
		value := unreadValue(r.data[b.typeName].attributes, config)
		if config.IsWhollyKnown() {
			value, ok = r.read(ctx, b, config)
		}
		r.scope[address] = value
		r.changes[address] = Change{Action: Read, Before: r.data[b.typeName].null(), After: value, config: config}
		return ok
	}
	var was *object
	if one, found := state[address]; found {
		was = &one
	}
	if r.prior[address], ok = r.refresh(ctx, b, was); !ok {
		return false
	}
	change, ok := r.process.plan(ctx, b, r.prior[address], config)
	r.changes[address], r.scope[address] = change, change.After
	return ok
}

// apply applies the plan with a new provider process. It stops at the first error.
func (r *run) apply(ctx context.Context, state map[string]object) {
	for address, one := range r.prior {
		if one == nil {
			delete(state, address)
		} else {
			state[address] = *one
		}
	}
	planned := r.scope
	r.scope = scope{}
	if !r.start() || !r.configure(ctx) {
		return
	}
	for _, address := range r.orphans(state) {
		if !r.applyChange(ctx, blockOf(address), r.changes[address], state) {
			return
		}
	}
	for _, b := range r.blocks {
		if !r.applyBlock(ctx, b, planned[b.address()], state) {
			return
		}
	}
}

// applyBlock plans a block again with the values that are known by now, and applies the result.
func (r *run) applyBlock(ctx context.Context, b block, planned cty.Value, state map[string]object) bool {
	address, before := b.address(), r.changes[b.address()]
	if before.Action == NoOp || before.Action == Read && before.config.IsWhollyKnown() {
		r.scope[address] = planned
		return true
	}
	config, ok := r.process.validate(ctx, b, r.scope.context())
	if !ok {
		return false
	}
	if b.kind == "data" {
		before.After, ok = r.read(ctx, b, config)
		r.changes[address], r.scope[address] = before, before.After
		return ok
	}
	if before.Action == Replace {
		deletion := before
		deletion.After, deletion.config = r.resources[b.typeName].null(), r.resources[b.typeName].null()
		if !r.applyChange(ctx, b, deletion, state) {
			return false
		}
		r.prior[address] = nil
	}
	planning, err := plannedprivate.With(ctx, before.private)
	if !r.addError(address, err) {
		return false
	}
	now, ok := r.process.plan(planning, b, r.prior[address], config)
	if !ok {
		return false
	}
	if wrong := contradiction(planned, now.After, address); wrong != "" {
		r.error(address, "Provider produced inconsistent final plan", wrong)
		return false
	}
	return r.applyChange(ctx, b, now, state)
}

// applyChange applies a change and stores the result in the state.
func (r *run) applyChange(ctx context.Context, b block, change Change, state map[string]object) bool {
	address := b.address()
	result, ok := r.process.apply(ctx, b, change)
	switch {
	case result != nil:
		state[address] = *result
		kept := r.changes[address]
		kept.After = result.value
		r.changes[address], r.scope[address] = kept, result.value
	case ok:
		delete(state, address)
	}
	return ok
}
