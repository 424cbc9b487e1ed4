package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// process is the server of a provider process. Terraform usually starts one process for a plan and another one for its apply. But if a file of terraform test
// has a provider block, a single process plans and applies all run blocks of the file (since Terraform 1.13, internal/moduletest/graph). A session is valid for
// one plan or one apply, so the process starts a server with its own provider and session for each of them.
//
// Terraform does not announce a process for several runs. But it configures such a process without first validating the provider's configuration in the same
// process. The only other processes that are configured without validation are those of Stacks: see isStack.
type process struct {
	// server validates, and serves the first run.
	server

	start func() server

	mu sync.Mutex
	// isValidated reports whether the process has validated a provider configuration since it last configured a provider.
	isValidated bool
	// configuration is the configuration of all runs; nil if the process is for a single run.
	configuration *tfprotov6.ConfigureProviderRequest
	runs          []*run
	// current is the run of the requests that do not identify their run; nil before the first one.
	current *run
	// busy counts the requests in progress that belong to runs.
	busy int
	// unplanned are the validated configurations for which no plan or read was requested yet. A request that waits for them
	// creates answered, which is closed when one of them is removed or a run starts.
	unplanned []validated
	answered  chan struct{}
}

// run is a plan or an apply.
type run struct {
	server
	// number is the position of the run among those of the process, from 1; it is 0 if the process is for a single run.
	number  int
	isApply bool
	// apply is the apply of this plan; nil before it begins.
	apply *run
	// replannable identifies the plan requests that the apply can send again. Before version 1.16, Terraform sends the repeated request without the private
	// state of the plan, so only the content of the request shows which plan is applied.
	replannable map[string]bool
	// refreshed are the resources that are refreshed and not planned yet.
	refreshed map[string]bool
	// onlyDestroys reports that all requests of the run so far plan to destroy resources.
	onlyDestroys bool
}

type validated struct {
	typeName string
	// alone reports that no request of a run was in progress at the time of the validation.
	alone bool
}

type operation struct {
	// planOnly and applyOnly report that only plans, or only applies, make the request.
	planOnly, applyOnly bool
	// typeName is the type whose validated configuration is planned or read, "" for none.
	typeName string
	// run is the number of the run that planned the resource, 0 if the request does not identify it.
	run int
	// replannable identifies a plan that the apply repeats with an equal request, "" for none.
	replannable string
	// refreshes and plans are the identity of the existing resource that is refreshed or planned, "" for none. destroys reports that the plan destroys it.
	refreshes, plans string
	destroys         bool
}

// unplannedPatience is how long a request waits for the plans of the validated configurations. During a plan,
// Terraform validates each configuration right before it requests the plan of this configuration.
const unplannedPatience = 2 * time.Second

// NewServer returns a server for providers that newProvider returns.
func NewServer(newProvider func() provider.Provider) tfprotov6.ProviderServer {
	start := func() server { return newRunServer(newProvider()) }
	return &process{server: start(), start: start}
}

// ValidateProviderConfig validates the configuration of the provider.
func (p *process) ValidateProviderConfig(ctx context.Context, in *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	p.mu.Lock()
	p.isValidated = true
	p.mu.Unlock()
	return p.server.ValidateProviderConfig(ctx, in)
}

// ConfigureProvider configures the provider of the first run.
func (p *process) ConfigureProvider(ctx context.Context, in *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configuration, p.runs, p.current, p.unplanned = nil, nil, nil, nil
	if !p.isValidated && !isStack(in) {
		p.configuration = in
	}
	p.isValidated = false // a process with a debugger serves several commands
	return p.server.ConfigureProvider(ctx, in)
}

// isStack reports whether a Stack configures the provider. A Stack does not validate the configuration first either, but its process serves only one plan or
// apply. A Stack allows deferral. terraform test does not, unless an experiment is on (Terraform 1.16, internal/stacks/stackruntime/internal/stackeval and
// internal/terraform).
func isStack(in *tfprotov6.ConfigureProviderRequest) bool {
	return in.ClientCapabilities != nil && in.ClientCapabilities.DeferralAllowed
}

// StopProvider stops all runs.
func (p *process) StopProvider(ctx context.Context, in *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.runs {
		if _, err := r.StopProvider(ctx, in); err != nil {
			return nil, err
		}
	}
	return p.server.StopProvider(ctx, in)
}

// recordValidated records that Terraform has validated a configuration. Before the plan of each run block, Terraform validates all configurations of the block
// without planning them.
func (p *process) recordValidated(typeName string, diags []*tfprotov6.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.configuration == nil || hasError(diags) {
		return
	}
	p.unplanned = append(p.unplanned, validated{typeName: typeName, alone: p.busy == 0})
}

// isSingle reports whether the process is for a single run. Only processes of terraform test are for several runs.
func (p *process) isSingle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.configuration == nil
}

// begin returns the run of a request. Without an error, the caller calls end after the request.
func (p *process) begin(ctx context.Context, o operation) (r *run, end func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.configuration == nil {
		return &run{server: p.server}, func() {}, nil
	}
	p.busy++
	end = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy--
	}
	if r, err = p.runOf(ctx, o); err != nil {
		p.busy--
	}
	return r, end, err
}

// runOf returns the run of a request. It starts the run if necessary.
func (p *process) runOf(ctx context.Context, o operation) (r *run, err error) {
	p.answer(o.typeName)
	switch {
	case o.run > 0 && o.run <= len(p.runs):
		r = p.runs[o.run-1]
	case p.current == nil, !o.canBelongTo(p.current), !p.awaitPlans(ctx, o), p.current.destroysAnother(o):
		r, err = p.startRun(ctx, false)
	default:
		r = p.current
	}
	if err == nil && (o.applyOnly || r.replannable[o.replannable]) {
		r, err = p.applyOf(ctx, r)
	}
	if err == nil {
		r.record(o)
	}
	return r, err
}

// canBelongTo reports whether the run makes requests of this kind: a request that only plans make does not belong to an apply.
func (o operation) canBelongTo(r *run) bool { return !o.planOnly || !r.isApply }

// destroysAnother reports whether a request to plan a destroy belongs to another run. This is the case if this run has made requests that destroy nothing, and
// has not refreshed the resource since it last planned it. After the last run block of a state, Terraform plans to destroy all resources, without validating or
// refreshing them.
func (r *run) destroysAnother(o operation) bool {
	return o.destroys && !r.refreshed[o.plans] && !r.onlyDestroys
}

func (r *run) record(o operation) {
	r.onlyDestroys = r.onlyDestroys && o.destroys
	delete(r.refreshed, o.plans)
	if o.refreshes != "" {
		r.refreshed[o.refreshes] = true
	}
	if o.replannable != "" && !r.isApply {
		r.replannable[o.replannable] = true
	}
}

func (p *process) startRun(ctx context.Context, isApply bool) (*run, error) {
	r := &run{server: p.server, number: len(p.runs) + 1, isApply: isApply, replannable: map[string]bool{}, refreshed: map[string]bool{}, onlyDestroys: true}
	if r.number > 1 {
		r.server = p.start()
		response, err := r.ConfigureProvider(ctx, p.configuration)
		if err != nil {
			return nil, err
		}
		if hasError(response.Diagnostics) {
			return nil, fmt.Errorf("the provider cannot be configured again: %s: %s", response.Diagnostics[0].Summary, response.Diagnostics[0].Detail)
		}
	}
	p.runs, p.current, p.unplanned = append(p.runs, r), r, nil
	p.notify()
	return r, nil
}

// applyOf returns the apply of a planned run. It starts the apply if necessary. If planned is an apply already, applyOf returns planned.
func (p *process) applyOf(ctx context.Context, planned *run) (_ *run, err error) {
	if planned.isApply {
		return planned, nil
	}
	if planned.apply == nil {
		planned.apply, err = p.startRun(ctx, true)
	}
	return planned.apply, err
}

// answer removes the last validated configuration of a type from unplanned, because its plan or read was requested.
func (p *process) answer(typeName string) {
	for i, v := range slices.Backward(p.unplanned) {
		if v.typeName == typeName {
			p.unplanned = slices.Delete(p.unplanned, i, i+1)
			p.notify()
			return
		}
	}
}

func (p *process) notify() {
	if p.answered != nil {
		close(p.answered)
		p.answered = nil
	}
}

// awaitPlans waits for the plans of the configurations that were validated while the current run made no request. It returns false if one of the plans was not
// requested: Terraform has then validated the configurations for another run. It also returns false for a new resource that the test overrides, because
// Terraform requests no plan of it: the rest of the plan then gets another run. If another request begins a run in the meantime, awaitPlans reports whether o can
// belong to this run.
func (p *process) awaitPlans(ctx context.Context, o operation) bool {
	timeout := time.NewTimer(unplannedPatience)
	defer timeout.Stop()
	current := p.current
	isPending := func(v validated) bool {
		// A plan validates data sources that only the apply reads.
		return v.alone && (current.isApply || !strings.HasPrefix(v.typeName, dataPrefix))
	}
	for slices.ContainsFunc(p.unplanned, isPending) {
		if p.answered == nil {
			p.answered = make(chan struct{})
		}
		answered := p.answered
		p.mu.Unlock()
		expired := false
		select {
		case <-answered:
		case <-timeout.C:
			expired = true
		case <-ctx.Done():
			expired = true
		}
		p.mu.Lock()
		if p.current != current {
			// Another request has begun a run, possibly an apply, or the process has been configured again.
			return p.current != nil && o.canBelongTo(p.current)
		}
		if expired {
			return !slices.ContainsFunc(p.unplanned, isPending)
		}
	}
	return true
}

func hasError(diags []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}
