package provider

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// fullEngine is an engine that returns complete values of everything, or its error.
type fullEngine struct {
	engine.Engine
	err error
}

func (fullEngine) CheckMember(member.Spec) []engine.Limitation     { return nil }
func (fullEngine) ServesMember(context.Context, member.Spec) error { return nil }
func (fullEngine) Agent(member.Spec) *engine.Agent                 { return new(newFilled[engine.Agent]()) }
func (fullEngine) CheckEnvelope(envelope.Spec) []engine.Limitation { return nil }
func (fullEngine) EnvelopeSelectors(context.Context, envelope.Spec) ([]placement.ResourceSelector, bool, error) {
	return nil, false, nil
}
func (fullEngine) CheckOverride(engine.Override) []engine.Limitation   { return nil }
func (fullEngine) CheckPlacement(engine.Placement) []engine.Limitation { return nil }
func (fullEngine) CheckChange(_, _ placement.Spec) []placement.Problem { return nil }
func (fullEngine) CanRename() bool                                     { return true }

func (fullEngine) PreviewChange(context.Context, engine.World, engine.Expectations) ([]engine.Consequence, error) {
	return newFilled[[]engine.Consequence](), nil
}

func (f fullEngine) ReadMember(context.Context, string, *engine.Member) (engine.Member, error) {
	return newFilled[engine.Member](), f.err
}

func (f fullEngine) ListMembers(context.Context) ([]engine.ListedMember, error) {
	out := newFilled[[]engine.ListedMember]()
	// The filters of a full configuration select these values.
	out[0].Spec.Labels = map[string]string{word: word}
	out[0].Status.Properties = map[string]string{word: "1"}
	return out, f.err
}

func (f fullEngine) ReadEnvelope(context.Context, engine.Reference, *engine.Envelope) (engine.Envelope, error) {
	out := newFilled[engine.Envelope]()
	out.Spec.Annotations[envelope.Annotation] = "true"
	out.Spec.Manifests = map[string]string{word: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}}"}
	return out, f.err
}

func (f fullEngine) ReadPlacement(context.Context, engine.Placement) (*engine.Recorded, error) {
	out := newFilled[engine.Recorded]()
	out.WriteOnlyObjects = nil // a preview with arguments does not check these objects
	// A full configuration waits for this condition.
	out.Status.Conditions[0].Type, out.Status.Conditions[0].Status = placement.ClusterResourcePlacementPrefix+placement.Applied, placement.True
	return &out, f.err
}

func (f fullEngine) Preview(context.Context, engine.Placement, engine.PreviewOptions) (*engine.Preview, error) {
	out := newFilled[engine.Preview]()
	out.Clusters[0].Objects[0].Action, out.Clusters[0].Objects[0].Owned = takeover.ActionLeaveAlone, false
	return &out, nil
}

func (f fullEngine) PreviewDelete(context.Context, engine.Placement, engine.DeleteOptions) (*engine.Preview, error) {
	return new(newFilled[engine.Preview]()), nil
}

func (f fullEngine) ReadOverride(_ context.Context, reference override.Reference, _ *engine.Override) (engine.KeptOverride, error) {
	out := newFilled[engine.KeptOverride]()
	if reference.Namespace == "" {
		out.Namespaced = nil
	} else {
		out.Cluster = nil
	}
	return out, f.err
}

func (fullEngine) CheckStagedUpdates() []engine.Limitation { return nil }
func (fullEngine) CheckDisruptions() []engine.Limitation   { return nil }

func (f fullEngine) RequireStagedUpdates(context.Context, string) error { return f.err }
func (f fullEngine) DisruptionsServed(context.Context) error            { return f.err }

func (f fullEngine) List(context.Context, engine.Collection, engine.Filter) (*engine.List, error) {
	return &engine.List{Found: []engine.Reference{{Namespace: word, Name: word}}}, nil
}

func (f fullEngine) ReadUpdateStrategy(context.Context, engine.Reference, *engine.UpdateStrategy) (engine.UpdateStrategy, error) {
	return newFilled[engine.UpdateStrategy](), f.err
}

func (f fullEngine) ReadUpdateRun(context.Context, engine.Reference, *engine.UpdateRun) (engine.UpdateRun, stagedupdate.Status, error) {
	return newFilled[engine.UpdateRun](), newFilled[stagedupdate.Status](), f.err
}

func (f fullEngine) ReadDisruptionBudget(context.Context, string, *engine.DisruptionBudget) (engine.DisruptionBudget, error) {
	return newFilled[engine.DisruptionBudget](), f.err
}

// fullMembers are members on which every workload exists.
type fullMembers struct{}

func (fullMembers) Read(context.Context, workload.Request) (*workload.Found, error) {
	return new(newFilled[workload.Found]()), nil
}

func (fullMembers) List(context.Context, workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error) {
	return newFilled[[]workload.Unmanaged](), nil, nil
}

// fullOwners are members on which every object exists.
type fullOwners struct{}

func (fullOwners) Read(context.Context, owners.Request) (*owners.Found, error) {
	return new(newFilled[owners.Found]()), nil
}

func (fullOwners) List(context.Context, owners.ListRequest) (*owners.Listed, error) {
	out := newFilled[owners.Listed]()
	for i := range out.Unread {
		out.Unread[i].Err = errors.New(word)
	}
	return &out, nil
}

// word is the content of every generated text.
const word = "word"

// newFilled returns a value with every field set.
func newFilled[T any]() T {
	var out T
	fill(reflect.ValueOf(&out).Elem())
	return out
}

func fill(v reflect.Value) {
	if values := v.MethodByName("Values"); values.IsValid() && v.Kind() == reflect.String {
		v.SetString(values.Call(nil)[0].Interface().([]string)[0])
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(word)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint('1')
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(word))
		} // errors remain nil
	}
}

// completeValue returns a value of a type with every attribute set. at is the path of the value.
func completeValue(t tftypes.Type, at string) tftypes.Value {
	switch t := t.(type) {
	case tftypes.Object:
		out := map[string]tftypes.Value{}
		for name, attribute := range t.AttributeTypes {
			out[name] = completeValue(attribute, at+"."+name)
		}
		return tftypes.NewValue(t, out)
	case tftypes.List:
		return tftypes.NewValue(t, []tftypes.Value{completeValue(t.ElementType, at)})
	case tftypes.Set:
		return tftypes.NewValue(t, []tftypes.Value{completeValue(t.ElementType, at)})
	case tftypes.Map:
		return tftypes.NewValue(t, map[string]tftypes.Value{word: completeValue(t.ElementType, at)})
	}
	switch {
	case t.Is(tftypes.Bool):
		return tftypes.NewValue(t, true)
	case t.Is(tftypes.Number):
		return tftypes.NewValue(t, 1)
	}
	// These texts must be valid for the code that parses them.
	for suffix, text := range map[string]string{
		"timeouts.create": "1h", "timeouts.read": "1h", "timeouts.update": "1h", "timeouts.delete": "1h", "json_patch_overrides.value": "1",
		"wait_for.timeout": "1h", "wait_for.condition": "Applied", "takes_over_from": "giver", "takes_over_from_removed": "removed",
		"label_selector.match_expressions.operator":    "In",
		"property_selector.match_expressions.operator": "Ge", "property_selector.match_expressions.values": "1",
	} {
		if strings.HasSuffix(at, "."+suffix) {
			return tftypes.NewValue(t, text)
		}
	}
	return tftypes.NewValue(t, word)
}

// typed is a schema.
type typed interface{ Type() attr.Type }

func completeRaw(t *testing.T, described typed) tftypes.Value {
	t.Helper()
	return completeValue(described.Type().TerraformType(t.Context()), "")
}

// requireConverted fails the test if a schema and a model cannot be converted: the framework compares them field by field.
func requireConverted(t *testing.T, what string, diags diag.Diagnostics) {
	t.Helper()
	for _, d := range diags {
		if strings.Contains(d.Summary(), "Value Conversion Error") || strings.Contains(d.Detail(), "reflect") {
			t.Errorf("%s: %s: %s", what, d.Summary(), d.Detail())
		}
	}
}

// listNulls returns the attributes that are null, at any depth. A list or map without elements counts as null.
func listNulls(t *testing.T, raw tftypes.Value) []string {
	t.Helper()
	found := map[string]bool{}
	err := tftypes.Walk(raw, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var names []string
		for _, step := range at.Steps() {
			if name, ok := step.(tftypes.AttributeName); ok {
				names = append(names, string(name))
			}
		}
		empty := value.IsNull()
		var list []tftypes.Value
		if value.Type().Is(tftypes.List{}) && value.As(&list) == nil {
			empty = len(list) == 0
		}
		var elements map[string]tftypes.Value
		if value.Type().Is(tftypes.Map{}) && value.As(&elements) == nil {
			empty = len(elements) == 0
		}
		if empty {
			found[strings.Join(names, ".")] = true
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// TestResourcesAndTheirModels checks that every attribute of a schema has a field in the model, at every depth and in both directions: for reading a
// complete configuration and a complete state, and for writing complete results.
func TestResourcesAndTheirModels(t *testing.T) {
	p := New("test", nil)()
	for _, newOne := range p.Resources(t.Context()) {
		r, name := configuredResource(t, newOne(), fullEngine{})
		t.Run(name, func(t *testing.T) {
			var described resource.SchemaResponse
			r.Schema(t.Context(), resource.SchemaRequest{}, &described)
			raw := completeRaw(t, described.Schema)
			config, plan := tfsdk.Config{Schema: described.Schema, Raw: raw}, tfsdk.Plan{Schema: described.Schema, Raw: raw}
			state := tfsdk.State{Schema: described.Schema, Raw: raw}

			var validated resource.ValidateConfigResponse
			r.(resource.ResourceWithValidateConfig).ValidateConfig(t.Context(), resource.ValidateConfigRequest{Config: config}, &validated)
			requireConverted(t, "validate", validated.Diagnostics)

			planned := resource.ModifyPlanResponse{Plan: plan}
			r.(resource.ResourceWithModifyPlan).ModifyPlan(t.Context(), resource.ModifyPlanRequest{Config: config, Plan: plan, State: state}, &planned)
			requireConverted(t, "plan", planned.Diagnostics)

			read := resource.ReadResponse{State: state, Identity: emptyIdentity(t, r)}
			read.Private = newEmpty(read.Private)
			r.Read(t.Context(), resource.ReadRequest{State: state}, &read)
			requireConverted(t, "read", read.Diagnostics)
			if read.Diagnostics.HasError() {
				t.Errorf("read: %v", read.Diagnostics)
			}
			missing := slices.DeleteFunc(listNulls(t, read.State.Raw), func(name string) bool { return name == excludedAttribute })
			if len(missing) > 0 {
				t.Errorf("these attributes are lost: %s", strings.Join(missing, ", "))
			}
		})
	}
}

// excludedAttribute cannot be set together with value_sensitive. The complete configuration has both, so a read does not keep this one.
const excludedAttribute = "policy.override_rules.json_patch_overrides.value"

func TestDataSourcesAndTheirModels(t *testing.T) {
	shared := &session.Session{Engine: fullEngine{}, Readers: session.Readers{Workloads: fullMembers{}, Owners: fullOwners{}}, Preview: session.PreviewAuto}
	for _, newOne := range New("test", nil)().DataSources(t.Context()) {
		d := newOne()
		var metadata datasource.MetadataResponse
		d.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
		t.Run(metadata.TypeName, func(t *testing.T) {
			var response datasource.ConfigureResponse
			d.(datasource.DataSourceWithConfigure).Configure(t.Context(), datasource.ConfigureRequest{ProviderData: shared}, &response)
			var described datasource.SchemaResponse
			d.Schema(t.Context(), datasource.SchemaRequest{}, &described)
			config := tfsdk.Config{Schema: described.Schema, Raw: completeRaw(t, described.Schema)}
			read := datasource.ReadResponse{State: tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(config.Raw.Type(), nil)}}
			d.Read(t.Context(), datasource.ReadRequest{Config: config}, &read)
			requireConverted(t, "read", read.Diagnostics)
			if read.Diagnostics.HasError() {
				t.Fatalf("read: %v", read.Diagnostics)
			}
			if missing := listNulls(t, read.State.Raw); len(missing) > 0 {
				t.Errorf("these attributes are lost: %s", strings.Join(missing, ", "))
			}
		})
	}
}

// TestIdentityOfWhatIsGone checks that a read sets the identity even if the object is gone: states of Terraform before 1.12 have none, and the
// framework requires one.
func TestIdentityOfWhatIsGone(t *testing.T) {
	for _, newOne := range New("test", nil)().Resources(t.Context()) {
		r, name := configuredResource(t, newOne(), fullEngine{err: engine.ErrNotFound})
		t.Run(name, func(t *testing.T) {
			var described resource.SchemaResponse
			r.Schema(t.Context(), resource.SchemaRequest{}, &described)
			state := tfsdk.State{Schema: described.Schema, Raw: completeRaw(t, described.Schema)}
			read := resource.ReadResponse{State: state, Identity: emptyIdentity(t, r)}
			read.Private = newEmpty(read.Private)
			r.Read(t.Context(), resource.ReadRequest{State: state}, &read)
			// A copy of a workload remains, whatever happens to the workload.
			if read.Diagnostics.HasError() || read.State.Raw.IsNull() == (name == "fleet_workload") {
				t.Errorf("it is not removed from the state: %v", read.Diagnostics)
			}
			if missing := listNulls(t, read.Identity.Raw); len(missing) > 0 {
				t.Errorf("the identity has no %s", strings.Join(missing, ", "))
			}
		})
	}
}

func configuredResource(t *testing.T, r resource.Resource, fleet engine.Engine) (resource.Resource, string) {
	t.Helper()
	var metadata resource.MetadataResponse
	r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
	shared := &session.Session{Engine: fleet, Readers: session.Readers{Workloads: fullMembers{}, Owners: fullOwners{}}, Preview: session.PreviewAuto}
	r.(resource.ResourceWithConfigure).Configure(t.Context(), resource.ConfigureRequest{ProviderData: shared}, &resource.ConfigureResponse{})
	return r, metadata.TypeName
}

// newEmpty returns an empty private state. The framework does not export its type.
func newEmpty[T any](*T) *T { return new(T) }

// emptyIdentity returns the identity of a resource before the first read.
func emptyIdentity(t *testing.T, r resource.Resource) *tfsdk.ResourceIdentity {
	t.Helper()
	var described resource.IdentitySchemaResponse
	r.(resource.ResourceWithIdentity).IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &described)
	return &tfsdk.ResourceIdentity{
		Schema: described.IdentitySchema, Raw: tftypes.NewValue(described.IdentitySchema.Type().TerraformType(t.Context()), nil),
	}
}
