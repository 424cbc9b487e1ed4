package provider

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
)

// dataPrefix distinguishes the type of a data source from that of a resource.
const dataPrefix = "data."

func serve[In, Out any](ctx context.Context, p *process, o operation, in In, call func(server, context.Context, In) (Out, error)) (out Out, err error) {
	r, end, err := p.begin(ctx, o)
	if err != nil {
		return out, err
	}
	defer end()
	return call(r.server, ctx, in)
}

// ValidateResourceConfig validates the configuration of a resource.
func (p *process) ValidateResourceConfig(ctx context.Context, in *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	out, err := p.server.ValidateResourceConfig(ctx, in)
	if err == nil {
		p.recordValidated(in.TypeName, out.Diagnostics)
	}
	return out, err
}

// ValidateDataResourceConfig validates the configuration of a data source.
func (p *process) ValidateDataResourceConfig(
	ctx context.Context, in *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	out, err := p.server.ValidateDataResourceConfig(ctx, in)
	if err == nil {
		p.recordValidated(dataPrefix+in.TypeName, out.Diagnostics)
	}
	return out, err
}

// ReadResource refreshes a resource.
func (p *process) ReadResource(ctx context.Context, in *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return serve(ctx, p, operation{planOnly: true, refreshes: identityOf(in.TypeName, in.CurrentIdentity)}, in, server.ReadResource)
}

// ImportResourceState imports a resource.
func (p *process) ImportResourceState(ctx context.Context, in *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return serve(ctx, p, operation{planOnly: true}, in, server.ImportResourceState)
}

// ReadDataSource reads a data source.
func (p *process) ReadDataSource(ctx context.Context, in *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return serve(ctx, p, operation{typeName: dataPrefix + in.TypeName}, in, server.ReadDataSource)
}

// OpenEphemeralResource opens an ephemeral resource.
func (p *process) OpenEphemeralResource(ctx context.Context, in *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return serve(ctx, p, operation{}, in, server.OpenEphemeralResource)
}

// PlanAction plans an action.
func (p *process) PlanAction(ctx context.Context, in *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return serve(ctx, p, operation{}, in, server.PlanAction)
}

// InvokeAction runs an action.
func (p *process) InvokeAction(ctx context.Context, in *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return serve(ctx, p, operation{applyOnly: true}, in, server.InvokeAction)
}

// PlanResourceChange plans a resource. It adds the number of the run to the private state of the plan. Terraform sends this private state back with the apply,
// and with the second request that plans a replacement.
func (p *process) PlanResourceChange(ctx context.Context, in *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if p.isSingle() { // planOperation hashes the whole request
		return p.server.PlanResourceChange(ctx, in)
	}
	o, err := planOperation(ctx, in)
	if err != nil {
		return nil, err
	}
	r, end, err := p.begin(ctx, o)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := r.PlanResourceChange(ctx, in)
	if err == nil && r.number > 0 {
		out.PlannedPrivate, err = withRun(out.PlannedPrivate, r.number)
	}
	return out, err
}

func planOperation(ctx context.Context, in *tfprotov6.PlanResourceChangeRequest) (operation, error) {
	isCreate, err := in.PriorState.IsNull()
	if err != nil {
		return operation{}, err
	}
	isDestroy, err := in.ProposedNewState.IsNull()
	if err != nil {
		return operation{}, err
	}
	if before, found := plannedprivate.From(ctx); found {
		text, _ := before.GetKey(ctx, privateRun)
		number, _ := strconv.Atoi(string(text))
		return operation{typeName: in.TypeName, run: number, applyOnly: true}, nil
	}
	if number, _ := runIn(in.PriorPrivate); isCreate && number > 0 {
		return operation{run: number}, nil
	}
	if isDestroy {
		return operation{planOnly: true, plans: identityOf(in.TypeName, in.PriorIdentity), destroys: true}, nil
	}
	out := operation{typeName: in.TypeName, planOnly: plannedprivate.Stores(ctx)}
	if !isCreate {
		out.plans = identityOf(in.TypeName, in.PriorIdentity)
	}
	if !out.planOnly {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %q", in.TypeName, in.Config.MsgPack, in.PriorState.MsgPack, in.ProposedNewState.MsgPack))
		out.replannable = string(sum[:])
	}
	return out, nil
}

func identityOf(typeName string, identity *tfprotov6.ResourceIdentityData) string {
	if identity == nil || identity.IdentityData == nil {
		return typeName
	}
	return typeName + string(identity.IdentityData.MsgPack)
}

// ApplyResourceChange applies the plan of a resource.
func (p *process) ApplyResourceChange(ctx context.Context, in *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if p.isSingle() { // runIn decodes the whole private state
		return p.server.ApplyResourceChange(ctx, in)
	}
	number, private := runIn(in.PlannedPrivate)
	if number > 0 {
		withoutRun := *in
		withoutRun.PlannedPrivate = private // the state must not have the number
		in = &withoutRun
	}
	return serve(ctx, p, operation{run: number, applyOnly: true}, in, server.ApplyResourceChange)
}

const privateRun = "run"

// withRun adds the number of a run to a private state, as the framework encodes it.
func withRun(private []byte, number int) ([]byte, error) {
	values := map[string][]byte{}
	if len(private) > 0 {
		if err := json.Unmarshal(private, &values); err != nil {
			return nil, err
		}
	}
	values[privateRun] = []byte(strconv.Itoa(number))
	return json.Marshal(values)
}

// runIn returns the number of a run in a private state, 0 for none, and the private state without it.
func runIn(private []byte) (number int, rest []byte) {
	values := map[string][]byte{}
	if len(private) == 0 || json.Unmarshal(private, &values) != nil {
		return 0, private
	}
	number, err := strconv.Atoi(string(values[privateRun]))
	if err != nil {
		return 0, private
	}
	delete(values, privateRun)
	if len(values) == 0 {
		return number, nil
	}
	if rest, err = json.Marshal(values); err != nil {
		return 0, private
	}
	return number, rest
}
