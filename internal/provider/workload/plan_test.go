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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// member answers with one workload, or with an error.
type member struct {
	verdict workload.Verdict
	leftOut string
	err     error
	asked   *int
}

func (m member) Read(_ context.Context, request workload.Request) (*workload.Found, error) {
	*m.asked++
	object := workload.Object{Identifier: request.Workload, Relation: domain.RelationItself, LeftOut: m.leftOut}
	if m.leftOut == "" {
		object.Configuration = &unstructured.Unstructured{Object: map[string]any{"kind": request.Workload.Kind}}
	}
	return &workload.Found{Objects: []workload.Object{object}, Verdict: m.verdict}, m.err
}

func (member) List(context.Context, workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error) {
	return nil, nil, nil
}

type anyEngine struct{ engine.Engine }

var web = identityOf("member-1", manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"})

// written is a value of the resource's schema.
func written(t *testing.T, data resourceModel) tfsdk.Plan {
	t.Helper()
	out := tfsdk.Plan{Schema: resourceSchema(), Raw: tftypes.NewValue(resourceSchema().Type().TerraformType(t.Context()), nil)}
	if diags := out.Set(t.Context(), data); diags.HasError() {
		t.Fatal(diags)
	}
	return out
}

func planned(t *testing.T, shared *session.Session, prior *resourceModel, next resourceModel) (resourceModel, resource.ModifyPlanResponse) {
	t.Helper()
	next.Found = unread()
	plan := written(t, next)
	config := next
	config.Found = none()
	request := resource.ModifyPlanRequest{
		Config: tfsdk.Config{Schema: plan.Schema, Raw: written(t, config).Raw}, Plan: plan,
		State: tfsdk.State{Schema: plan.Schema, Raw: tftypes.NewValue(plan.Raw.Type(), nil)},
	}
	if prior != nil {
		request.State.Raw = written(t, *prior).Raw
	}
	response := resource.ModifyPlanResponse{Plan: plan}
	(&Resource{session: shared}).ModifyPlan(t.Context(), request, &response)
	var out resourceModel
	if diags := response.Plan.Get(t.Context(), &out); diags.HasError() {
		t.Fatal(diags)
	}
	return out, response
}

func none() Found {
	return Found{Manifests: types.MapNull(types.StringType), Objects: types.ListNull(unread().Objects.ElementType(context.Background())), RestartChanges: types.ListNull(types.StringType)}
}

func model(identity Identity) resourceModel {
	return resourceModel{Model: Model{Identity: identity, Found: none()}, Triggers: types.MapNull(types.StringType)}
}

// A plan knows of a workload what the member knows for sure, and nothing while nobody can be asked.
func TestPlan(t *testing.T) {
	t.Parallel()
	other := web
	other.Name = types.StringValue("other")
	again, open := model(web), model(web)
	again.Triggers = types.MapValueMust(types.StringType, map[string]attr.Value{"at": types.StringValue("again")})
	open.Namespace = types.StringUnknown()
	prior := model(web)
	certain, asked := workload.Verdict{Restart: domain.RestartNone}, 0
	for name, c := range map[string]struct {
		shared               *session.Session
		prior                *resourceModel
		next                 resourceModel
		copied, judged, fail bool
	}{
		"a new one":                      {shared: over(member{verdict: certain, asked: &asked}), next: model(web), copied: true, judged: true},
		"another copy":                   {shared: over(member{verdict: certain, asked: &asked}), prior: &prior, next: again, copied: true, judged: true},
		"another workload":               {shared: over(member{verdict: certain, asked: &asked}), prior: &prior, next: model(other)},
		"one that is not known":          {shared: over(member{verdict: certain, asked: &asked}), next: open},
		"a verdict that nobody can give": {shared: over(member{verdict: workload.Verdict{Restart: domain.RestartUnknown, Unknown: errors.New("forbidden")}, asked: &asked}), next: model(web), copied: true},
		"connections that are not known": {shared: &session.Session{Preview: session.PreviewAuto}, next: model(web)},
		"a plan that looks at nothing":   {shared: &session.Session{Workloads: member{asked: &asked}, Preview: session.PreviewOff}, next: model(web)},
		"none of that name":              {shared: over(member{err: engine.ErrNotFound, asked: &asked}), next: model(web), fail: true},
		"a member that does not answer":  {shared: over(member{err: errors.New("no route"), asked: &asked}), next: model(web), fail: true},
		"one that is nothing to place":   {shared: over(member{leftOut: "it is being deleted", asked: &asked}), next: model(web), fail: true},
	} {
		out, response := planned(t, c.shared, c.prior, c.next)
		if copied, judged := !out.Manifests.IsUnknown(), !out.Restart.IsUnknown(); copied != c.copied || judged != c.judged || response.Diagnostics.HasError() != c.fail {
			t.Errorf("%s: copied %t, judged %t, %v", name, copied, judged, response.Diagnostics)
		}
	}
}

func over(m member) *session.Session {
	return &session.Session{Engine: anyEngine{}, Workloads: m, Preview: session.PreviewAuto}
}

// An apply keeps the copy that was planned, and reads what the plan has left open; a refresh leaves the copy alone.
func TestKeep(t *testing.T) {
	t.Parallel()
	asked := 0
	r := &Resource{session: over(member{verdict: workload.Verdict{Restart: domain.RestartLater}, asked: &asked})}
	data, _ := planned(t, over(member{verdict: workload.Verdict{Restart: domain.RestartNone}, asked: &asked}), nil, model(web))
	for name, c := range map[string]struct {
		change  func(*resourceModel)
		asked   int
		restart domain.Restart
	}{
		"all of it":        {func(*resourceModel) {}, 0, domain.RestartNone},
		"no verdict":       {func(m *resourceModel) { m.withoutVerdict() }, 1, domain.RestartLater},
		"nothing was read": {func(m *resourceModel) { m.Found = unread() }, 1, domain.RestartLater},
	} {
		plan := data
		c.change(&plan)
		asked = 0
		raw := written(t, plan)
		response := resource.CreateResponse{State: tfsdk.State{Schema: raw.Schema, Raw: tftypes.NewValue(raw.Raw.Type(), nil)}, Identity: noIdentity(t)}
		r.Create(t.Context(), resource.CreateRequest{Plan: raw}, &response)
		var kept resourceModel
		response.Diagnostics.Append(response.State.Get(t.Context(), &kept)...)
		if response.Diagnostics.HasError() || asked != c.asked || kept.Restart.ValueString() != string(c.restart) || !kept.Manifests.Equal(data.Manifests) {
			t.Errorf("%s: asked %d times, restart %s, %v", name, asked, kept.Restart, response.Diagnostics)
		}
		asked = 0
		read := resource.ReadResponse{State: response.State, Identity: noIdentity(t)}
		r.Read(t.Context(), resource.ReadRequest{State: response.State}, &read)
		if asked > 0 || !read.State.Raw.Equal(response.State.Raw) {
			t.Errorf("%s: a refresh has asked %d times", name, asked)
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
	core := identityOf("member-1", manifest.Identifier{Version: "v1", Kind: "Node", Name: "a"})
	for text, want := range map[string]*Identity{
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
