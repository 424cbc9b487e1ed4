package protocol

import (
	"context"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
)

// newServer returns the provider under test, which otherwise runs in its own process.
func newServer() tfprotov6.ProviderServer {
	return app.NewServer("test")
}

// process is a running provider. Terraform starts one for a plan and another for its apply.
type process struct {
	server tfprotov6.ProviderServer
	schemas
	*diagnostics
}

// object is a resource's part of the state.
type object struct {
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	// tainted: the creation has failed, or Taint was called. The next plan replaces the resource.
	tainted bool
}

// Action is the planned action for a resource.
type Action string

const (
	// NoOp changes nothing. Create and Update produce the configured resource. Replace deletes before it creates. Delete removes a resource that is no longer
	// configured. Read reads a data source.
	NoOp, Create, Update, Replace, Delete, Read Action = "no-op", "create", "update", "replace", "delete", "read"
)

// Change is the planned change of a resource, or the result of a data source.
type Change struct {
	Action Action
	// Before is null for a resource that does not exist, After for one that is deleted. After an apply, After is the applied value.
	Before, After cty.Value

	config   cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// configure configures the provider or, if validateOnly is set, only validates its configuration. It reports whether there was no error.
func (p *process) configure(ctx context.Context, b *block, validateOnly bool, names *hcl.EvalContext) bool {
	config, diags := p.provider.decode(b.body, names)
	if !p.addConfiguration(b.address(), diags) {
		return false
	}
	encoded, err := p.provider.encode(config)
	if !p.addError(b.address(), err) {
		return false
	}
	if validateOnly {
		response, err := p.server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
		return p.addError(b.address(), err) && p.addProvider(b.address(), response.Diagnostics)
	}
	response, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: encoded, TerraformVersion: "1.16.0"})
	return p.addError(b.address(), err) && p.addProvider(b.address(), response.Diagnostics)
}

// schemaOf returns the schema of a resource or a data source.
func (p *process) schemaOf(b block) (schema, bool) {
	of, title := p.resources, "resource type"
	if b.kind == "data" {
		of, title = p.data, "data source"
	}
	out, found := of[b.typeName]
	if !found {
		p.error(b.address(), "Invalid "+title, "The provider terraform-fleet/fleet does not support "+title+" \""+b.typeName+"\".")
	}
	return out, found
}

// validate evaluates and validates the configuration of a resource or a data source.
func (p *process) validate(ctx context.Context, b block, names *hcl.EvalContext) (config cty.Value, ok bool) {
	s, found := p.schemaOf(b)
	if !found {
		return cty.NilVal, false
	}
	config, diags := s.decode(b.body, names)
	if !p.addConfiguration(b.address(), diags) {
		return cty.NilVal, false
	}
	encoded, err := s.encode(config)
	if !p.addError(b.address(), err) {
		return cty.NilVal, false
	}
	if b.kind == "data" {
		response, err := p.server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: b.typeName, Config: encoded})
		return config, p.addError(b.address(), err) && p.addProvider(b.address(), response.Diagnostics)
	}
	response, err := p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: b.typeName, Config: encoded, ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	return config, p.addError(b.address(), err) && p.addProvider(b.address(), response.Diagnostics)
}

// read reads a data source.
func (p *process) read(ctx context.Context, b block, config cty.Value) (cty.Value, bool) {
	s := p.data[b.typeName]
	encoded, err := s.encode(config)
	if !p.addError(b.address(), err) {
		return cty.NilVal, false
	}
	response, err := p.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: b.typeName, Config: encoded})
	if !p.addError(b.address(), err) || !p.addProvider(b.address(), response.Diagnostics) {
		return cty.NilVal, false
	}
	value, err := s.value(response.State)
	return value, p.addError(b.address(), err)
}

// withoutPlanOnly returns a stored state as Terraform gets it from UpgradeResourceState: planned_changes is null.
func withoutPlanOnly(state cty.Value) cty.Value {
	if state.IsNull() || !state.Type().HasAttribute(planonly.Attribute) {
		return state
	}
	attributes := state.AsValueMap()
	attributes[planonly.Attribute] = cty.NullVal(cty.String)
	return cty.ObjectVal(attributes)
}

// refresh reads a resource. It returns nil if the resource no longer exists.
func (p *process) refresh(ctx context.Context, b block, was *object) (*object, bool) {
	if was == nil {
		return nil, true
	}
	s := p.resources[b.typeName]
	was.value = withoutPlanOnly(was.value)
	encoded, err := s.encode(was.value)
	if !p.addError(b.address(), err) {
		return nil, false
	}
	response, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: b.typeName, CurrentState: encoded, Private: was.private, CurrentIdentity: was.identity,
	})
	if !p.addError(b.address(), err) || !p.addProvider(b.address(), response.Diagnostics) {
		return nil, false
	}
	value, err := s.value(response.NewState)
	if !p.addError(b.address(), err) || value.IsNull() {
		return nil, err == nil
	}
	return &object{value: value, private: response.Private, identity: response.NewIdentity, tainted: was.tainted}, true
}

// plan plans a resource. A null configuration deletes it.
func (p *process) plan(ctx context.Context, b block, was *object, config cty.Value) (Change, bool) {
	if was == nil || was.tainted && !config.IsNull() {
		change, _, ok := p.planOnce(ctx, b, nil, config)
		change.Action = Create
		if was != nil {
			change.Action, change.Before = Replace, was.value
		}
		return change, ok
	}
	change, replaces, ok := p.planOnce(ctx, b, was, config)
	switch {
	case !ok:
		return change, false
	case config.IsNull():
		change.Action = Delete
	case replaces:
		// The replacement is planned as a creation.
		change, _, ok = p.planOnce(ctx, b, &object{value: p.resources[b.typeName].null(), private: change.private}, config)
		change.Action, change.Before = Replace, was.value
	case change.After.RawEquals(was.value):
		change.Action = NoOp
	default:
		change.Action = Update
	}
	return change, ok
}

// planOnce requests a plan from the provider, and checks it as Terraform does.
func (p *process) planOnce(ctx context.Context, b block, was *object, config cty.Value) (change Change, replaces, ok bool) {
	s := p.resources[b.typeName]
	if was == nil {
		was = &object{value: s.null()}
	}
	proposedState := s.null()
	if !config.IsNull() {
		proposedState = proposed(s.attributes, was.value, config)
	}
	request := &tfprotov6.PlanResourceChangeRequest{TypeName: b.typeName, PriorPrivate: was.private, PriorIdentity: was.identity}
	if !p.encode(b, s, map[**tfprotov6.DynamicValue]cty.Value{
		&request.PriorState: was.value, &request.ProposedNewState: proposedState, &request.Config: config,
	}) {
		return Change{}, false, false
	}
	response, err := p.server.PlanResourceChange(plannedprivate.WithStore(ctx), request)
	if !p.addError(b.address(), err) || !p.addProvider(b.address(), response.Diagnostics) {
		return Change{}, false, false
	}
	planned, err := s.value(response.PlannedState)
	if !p.addError(b.address(), err) {
		return Change{}, false, false
	}
	if !config.IsNull() {
		if wrong := findMisplanned(s.attributes, config, was.value, planned); wrong != "" {
			p.error(b.address(), "Provider produced invalid plan", wrong)
			return Change{}, false, false
		}
	}
	return Change{
		Before: was.value, After: planned, config: config, private: response.PlannedPrivate, identity: response.PlannedIdentity,
	}, len(response.RequiresReplace) > 0, true
}

// apply applies a change. The result is nil if the resource does not exist afterwards.
func (p *process) apply(ctx context.Context, b block, change Change) (*object, bool) {
	s := p.resources[b.typeName]
	request := &tfprotov6.ApplyResourceChangeRequest{TypeName: b.typeName, PlannedPrivate: change.private, PlannedIdentity: change.identity}
	if !p.encode(b, s, map[**tfprotov6.DynamicValue]cty.Value{
		&request.PriorState: change.Before, &request.PlannedState: change.After, &request.Config: change.config,
	}) {
		return nil, false
	}
	ctx, err := plannedprivate.With(ctx, change.private)
	if !p.addError(b.address(), err) {
		return nil, false
	}
	response, err := p.server.ApplyResourceChange(ctx, request)
	if !p.addError(b.address(), err) {
		return nil, false
	}
	ok := p.addProvider(b.address(), response.Diagnostics)
	value, err := s.value(response.NewState)
	if !p.addError(b.address(), err) || value.IsNull() {
		return nil, ok && err == nil
	}
	if wrong := contradiction(change.After, value, b.address()); ok && wrong != "" {
		p.error(b.address(), "Provider produced inconsistent result after apply", wrong)
		ok = false
	}
	return &object{value: value, private: response.Private, identity: response.NewIdentity, tainted: !ok && change.Action == Create}, ok
}

// encode encodes values into a request.
func (p *process) encode(b block, s schema, into map[**tfprotov6.DynamicValue]cty.Value) bool {
	for at, value := range into {
		encoded, err := s.encode(value)
		if !p.addError(b.address(), err) {
			return false
		}
		*at = encoded
	}
	return true
}
