package workload

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// fakeMember returns one workload or an error.
type fakeMember struct {
	verdict workload.Verdict
	leftOut string
	err     error
	reads   *int
}

func (m fakeMember) Read(_ context.Context, request workload.Request) (*workload.Found, error) {
	*m.reads++
	object := workload.Object{Identifier: request.Workload, Relation: domain.RelationItself, LeftOut: m.leftOut}
	if m.leftOut == "" {
		object.Configuration = &unstructured.Unstructured{Object: map[string]any{"kind": request.Workload.Kind}}
	}
	return &workload.Found{Objects: []workload.Object{object}, Verdict: m.verdict}, m.err
}

func (fakeMember) List(context.Context, workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error) {
	return nil, nil, nil
}

type anyEngine struct{ engine.Engine }

var web = identifier.NewOnMember("member-1", manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"})

// newPlan returns a plan with the data.
func newPlan(t *testing.T, data resourceModel) tfsdk.Plan {
	t.Helper()
	out := tfsdk.Plan{Schema: resourceSchema(), Raw: tftypes.NewValue(resourceSchema().Type().TerraformType(t.Context()), nil)}
	if diags := out.Set(t.Context(), data); diags.HasError() {
		t.Fatal(diags)
	}
	return out
}

func planWorkload(t *testing.T, shared *session.Session, prior *resourceModel, next resourceModel) (resourceModel, resource.ModifyPlanResponse) {
	t.Helper()
	next.Found = newUnknown()
	plan := newPlan(t, next)
	config := next
	config.Found = noFound()
	request := resource.ModifyPlanRequest{
		Config: tfsdk.Config{Schema: plan.Schema, Raw: newPlan(t, config).Raw}, Plan: plan,
		State: tfsdk.State{Schema: plan.Schema, Raw: tftypes.NewValue(plan.Raw.Type(), nil)},
	}
	if prior != nil {
		request.State.Raw = newPlan(t, *prior).Raw
	}
	response := resource.ModifyPlanResponse{Plan: plan}
	(&Resource{session: shared}).ModifyPlan(t.Context(), request, &response)
	var out resourceModel
	if diags := response.Plan.Get(t.Context(), &out); diags.HasError() {
		t.Fatal(diags)
	}
	return out, response
}

func noFound() Found {
	return Found{Manifests: types.MapNull(types.StringType), Objects: types.ListNull(newUnknown().Objects.ElementType(context.Background())), RestartChanges: types.ListNull(types.StringType)}
}

func newModel(identity identifier.OnMember) resourceModel {
	return resourceModel{Model: Model{OnMember: identity, Found: noFound()}, Triggers: types.MapNull(types.StringType)}
}

// TestPlan checks that a plan knows the results of a workload that are certain, and knows nothing if the member cannot be read.
func TestPlan(t *testing.T) {
	t.Parallel()
	other := web
	other.Name = types.StringValue("other")
	again, open := newModel(web), newModel(web)
	again.Triggers = types.MapValueMust(types.StringType, map[string]attr.Value{"at": types.StringValue("again")})
	open.Namespace = types.StringUnknown()
	prior := newModel(web)
	certain, reads := workload.Verdict{Restart: domain.RestartNone}, 0
	for name, c := range map[string]struct {
		shared               *session.Session
		prior                *resourceModel
		next                 resourceModel
		copied, judged, fail bool
	}{
		"a new one":                      {shared: newSession(fakeMember{verdict: certain, reads: &reads}), next: newModel(web), copied: true, judged: true},
		"another copy":                   {shared: newSession(fakeMember{verdict: certain, reads: &reads}), prior: &prior, next: again, copied: true, judged: true},
		"another workload":               {shared: newSession(fakeMember{verdict: certain, reads: &reads}), prior: &prior, next: newModel(other)},
		"one that is not known":          {shared: newSession(fakeMember{verdict: certain, reads: &reads}), next: open},
		"an unknown verdict":             {shared: newSession(fakeMember{verdict: workload.Verdict{Restart: domain.RestartUnknown, Unknown: errors.New("forbidden")}, reads: &reads}), next: newModel(web), copied: true},
		"connections that are not known": {shared: &session.Session{Preview: session.PreviewAuto}, next: newModel(web)},
		"a plan without previews":        {shared: &session.Session{Readers: session.Readers{Workloads: fakeMember{reads: &reads}}, Preview: session.PreviewOff}, next: newModel(web)},
		"none of that name":              {shared: newSession(fakeMember{err: engine.ErrNotFound, reads: &reads}), next: newModel(web), fail: true},
		"a member that does not answer":  {shared: newSession(fakeMember{err: errors.New("no route"), reads: &reads}), next: newModel(web), fail: true},
		"one that is nothing to place":   {shared: newSession(fakeMember{leftOut: "it is being deleted", reads: &reads}), next: newModel(web), fail: true},
	} {
		out, response := planWorkload(t, c.shared, c.prior, c.next)
		if copied, judged := !out.Manifests.IsUnknown(), !out.Restart.IsUnknown(); copied != c.copied || judged != c.judged || response.Diagnostics.HasError() != c.fail {
			t.Errorf("%s: copied %t, judged %t, %v", name, copied, judged, response.Diagnostics)
		}
	}
}

func newSession(m fakeMember) *session.Session {
	return &session.Session{Engine: anyEngine{}, Readers: session.Readers{Workloads: m}, Preview: session.PreviewAuto}
}

// TestKeep checks that an apply keeps the planned copy and reads the values that were unknown in the plan, and that a refresh does not change the
// copy.
func TestKeep(t *testing.T) {
	t.Parallel()
	reads := 0
	r := &Resource{session: newSession(fakeMember{verdict: workload.Verdict{Restart: domain.RestartLater}, reads: &reads})}
	data, _ := planWorkload(t, newSession(fakeMember{verdict: workload.Verdict{Restart: domain.RestartNone}, reads: &reads}), nil, newModel(web))
	for name, c := range map[string]struct {
		change  func(*resourceModel)
		reads   int
		restart domain.Restart
	}{
		"all of it":        {func(*resourceModel) {}, 0, domain.RestartNone},
		"no verdict":       {func(m *resourceModel) { m.clearVerdict() }, 1, domain.RestartLater},
		"nothing was read": {func(m *resourceModel) { m.Found = newUnknown() }, 1, domain.RestartLater},
	} {
		plan := data
		c.change(&plan)
		reads = 0
		raw := newPlan(t, plan)
		response := resource.CreateResponse{State: tfsdk.State{Schema: raw.Schema, Raw: tftypes.NewValue(raw.Raw.Type(), nil)}, Identity: noIdentity(t)}
		r.Create(t.Context(), resource.CreateRequest{Plan: raw}, &response)
		var state resourceModel
		response.Diagnostics.Append(response.State.Get(t.Context(), &state)...)
		if response.Diagnostics.HasError() || reads != c.reads || state.Restart.ValueString() != string(c.restart) || !state.Manifests.Equal(data.Manifests) {
			t.Errorf("%s: %d reads, restart %s, %v", name, reads, state.Restart, response.Diagnostics)
		}
		reads = 0
		read := resource.ReadResponse{State: response.State, Identity: noIdentity(t)}
		r.Read(t.Context(), resource.ReadRequest{State: response.State}, &read)
		if reads > 0 || !read.State.Raw.Equal(response.State.Raw) {
			t.Errorf("%s: a refresh has read %d times", name, reads)
		}
	}
}

func noIdentity(t *testing.T) *tfsdk.ResourceIdentity {
	t.Helper()
	var described resource.IdentitySchemaResponse
	(&Resource{}).IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &described)
	return &tfsdk.ResourceIdentity{
		Schema: described.IdentitySchema, Raw: tftypes.NewValue(described.IdentitySchema.Type().TerraformType(t.Context()), nil),
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	core := identifier.NewOnMember("member-1", manifest.Identifier{Version: "v1", Kind: "Node", Name: "a"})
	for text, want := range map[string]*identifier.OnMember{
		"cluster=member-1,apiVersion=apps/v1,kind=Deployment,namespace=shop,name=web": &web,
		"name=web,namespace=shop,kind=Deployment,apiVersion=apps/v1,cluster=member-1": &web,
		"cluster=member-1,apiVersion=v1,kind=Node,name=a":                             &core,
		"member-1/apps/v1/Deployment/shop/web":                                        nil,
		"cluster=member-1,apiVersion=v1,kind=Node":                                    nil,
		"cluster=member-1,apiVersion=v1,kind=Node,name=":                              nil,
		"cluster=member-1,apiVersion=v1,kind=Node,name=a,name=b":                      nil,
		"cluster=member-1,apiVersion=v1,kind=Node,name=a,uid=b":                       nil,
		"cluster=member-1,apiVersion=a/b/c,kind=Node,name=a":                          nil,
	} {
		if got, ok := parseID(text); ok != (want != nil) || ok && got != *want {
			t.Errorf("%s: %+v, %t", text, got, ok)
		}
	}
}
