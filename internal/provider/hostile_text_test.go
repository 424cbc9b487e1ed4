package provider

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// hostileText changes the title of a terminal, begins a line and reverses the text that follows.
const hostileText = "\x1b]0;title\aword\r\nforged\u009b2J\u0085\u202e\U000e0001"

// hostileEngine is an engine whose clusters return hostile texts everywhere.
type hostileEngine struct{ fullEngine }

func (h hostileEngine) Agent(spec member.Spec) *engine.Agent {
	return hostileCopy(h.fullEngine.Agent(spec))
}

func (h hostileEngine) ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error) {
	out, err := h.fullEngine.ReadMember(ctx, name, prior)
	return *hostileCopy(&out), err
}

func (h hostileEngine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	out, err := h.fullEngine.ListMembers(ctx)
	out[0].Err = errors.New(hostileText)
	return *hostileCopy(&out), err
}

func (h hostileEngine) ReadEnvelope(ctx context.Context, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	out, err := h.fullEngine.ReadEnvelope(ctx, reference, prior)
	out.Objects = *hostileCopy(&out.Objects)
	return out, err
}

func (h hostileEngine) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	out, err := h.fullEngine.ReadPlacement(ctx, p)
	return hostileCopy(out), err
}

func (h hostileEngine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	out, err := h.fullEngine.Preview(ctx, p, options)
	unchecked := out.Clusters[0]
	unchecked.Name, unchecked.Err = "unchecked", errors.New(hostileText)
	out.Clusters = append(out.Clusters, unchecked)
	return hostileCopy(out), err
}

func (h hostileEngine) ReadUpdateRun(ctx context.Context, reference engine.Reference, prior *engine.UpdateRun) (engine.UpdateRun, stagedupdate.Status, error) {
	run, status, err := h.fullEngine.ReadUpdateRun(ctx, reference, prior)
	return run, *hostileCopy(&status), err
}

// hostileMembers are members whose workloads have hostile texts.
type hostileMembers struct{ fullMembers }

func (m hostileMembers) Read(ctx context.Context, request workload.Request) (*workload.Found, error) {
	out, err := m.fullMembers.Read(ctx, request)
	out.Verdict.Unknown = errors.New(hostileText)
	return hostileCopy(out), err
}

// hostileOwners are members whose objects and field managers have hostile texts.
type hostileOwners struct{ fullOwners }

func (m hostileOwners) Read(ctx context.Context, request owners.Request) (*owners.Found, error) {
	out, err := m.fullOwners.Read(ctx, request)
	out.Unfollowed, out.RecordsErr = errors.New(hostileText), errors.New(hostileText)
	return hostileCopy(out), err
}

func (m hostileOwners) List(ctx context.Context, request owners.ListRequest) (*owners.Listed, error) {
	out, err := m.fullOwners.List(ctx, request)
	out.Unread[0].Err, out.RecordsErr = errors.New(hostileText), errors.New(hostileText)
	return hostileCopy(out), err
}

// hostileCopy appends the hostile text to every text of a value, except texts that the provider itself sets.
func hostileCopy[T any](in *T) *T {
	makeHostile(reflect.ValueOf(in).Elem())
	return in
}

func makeHostile(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		// Texts that the provider sets are its own enumerations, and switches depend on their values.
		if path := v.Type().PkgPath(); !strings.HasSuffix(path, "/takeover") && !strings.HasSuffix(path, "/workload") && !strings.HasSuffix(path, "/engine") {
			v.SetString(v.String() + hostileText)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			makeHostile(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			makeHostile(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			newKey, value := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			newKey.Set(key)
			value.Set(v.MapIndex(key))
			makeHostile(newKey)
			makeHostile(value)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(newKey, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				makeHostile(v.Field(i))
			}
		}
	case reflect.Interface:
		if text, isText := v.Interface().(string); isText {
			v.Set(reflect.ValueOf(text + hostileText))
		}
	}
}

// TestDataSourcesWithHostileTexts checks that no data source has a control character from a cluster in a value or a key, and that no text from a
// cluster begins a line of its report.
func TestDataSourcesWithHostileTexts(t *testing.T) {
	shared := &session.Session{Engine: hostileEngine{}, Readers: session.Readers{Workloads: hostileMembers{}, Owners: hostileOwners{}}, Preview: session.PreviewAuto}
	for _, newOne := range New("test", nil)().DataSources(t.Context()) {
		d := newOne()
		var metadata datasource.MetadataResponse
		d.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
		t.Run(metadata.TypeName, func(t *testing.T) {
			var response datasource.ConfigureResponse
			d.(datasource.DataSourceWithConfigure).Configure(t.Context(), datasource.ConfigureRequest{ProviderData: shared}, &response)
			var described datasource.SchemaResponse
			d.Schema(t.Context(), datasource.SchemaRequest{}, &described)
			config := completeRaw(t, described.Schema)
			for _, at := range []string{"label_selector", "property_selector", "wait_for"} {
				if _, has := described.Schema.GetAttributes()[at]; has {
					config = withValue(t, config, "."+at, nil)
				}
			}
			read := datasource.ReadResponse{State: tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(config.Type(), nil)}}
			d.Read(t.Context(), datasource.ReadRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: config}}, &read)
			checkDiagnostics(t, read.Diagnostics)
			computed := func(name string) bool { return described.Schema.GetAttributes()[name].IsComputed() }
			if found := checkTexts(t, read.State.Raw, computed); found == 0 {
				t.Error("no text of a cluster is in the state")
			}
		})
	}
}

// TestResourcesWithHostileTexts checks the same for the attributes that resources read from clusters.
func TestResourcesWithHostileTexts(t *testing.T) {
	for _, newOne := range New("test", nil)().Resources(t.Context()) {
		r, name := configuredResource(t, newOne(), hostileEngine{})
		t.Run(name, func(t *testing.T) {
			var described resource.SchemaResponse
			r.Schema(t.Context(), resource.SchemaRequest{}, &described)
			state := tfsdk.State{Schema: described.Schema, Raw: completeRaw(t, described.Schema)}
			read := resource.ReadResponse{State: state, Identity: emptyIdentity(t, r)}
			read.Private = newEmpty(read.Private)
			r.Read(t.Context(), resource.ReadRequest{State: state}, &read)
			checkDiagnostics(t, read.Diagnostics)
			checkTexts(t, read.State.Raw, func(name string) bool {
				attribute := described.Schema.GetAttributes()[name]
				return attribute.IsComputed() && !attribute.IsOptional()
			})
		})
	}
}

// checkDiagnostics checks that warnings have no control characters except line breaks, and that no text from a cluster begins a line.
func checkDiagnostics(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if diags.HasError() {
		t.Fatal(diags)
	}
	for _, d := range diags {
		for line := range strings.SplitSeq(d.Summary()+"\n"+d.Detail(), "\n") {
			if strings.HasPrefix(line, "forged") || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("a warning has the line %q", line)
			}
		}
	}
}

// documents are the attributes with values of several lines.
var documents = map[string]bool{"manifests": true, "manifests_masked": true, "planned_changes": true, "rendered_manifests": true, "report": true}

// checkTexts checks that the texts and keys in computed attributes are printable, and returns the number of escaped hostile texts in them.
func checkTexts(t *testing.T, raw tftypes.Value, computed func(name string) bool) (found int) {
	t.Helper()
	err := tftypes.Walk(raw, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		steps := at.Steps()
		if len(steps) == 0 {
			return true, nil
		}
		root, _ := steps[0].(tftypes.AttributeName)
		if !computed(string(root)) {
			return false, nil
		}
		texts := []string{}
		if key, isKey := steps[len(steps)-1].(tftypes.ElementKeyString); isKey {
			texts = append(texts, string(key))
		}
		var text string
		if value.Type().Is(tftypes.String) && value.IsKnown() && !value.IsNull() && value.As(&text) == nil {
			if documents[string(root)] {
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "forged") {
						t.Errorf("%s has a forged line in %q", at, text)
					}
				}
				text = strings.ReplaceAll(text, "\n", " ")
			}
			if root != "manifests" { // in the content of manifests, YAML escapes control characters
				texts = append(texts, text)
			} else if strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("%s is %q", at, text)
			}
		}
		for _, text := range texts {
			if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%s has %q in %q", at, text[i:][:1], text)
			}
			if strings.Contains(text, "forged") {
				found++
			}
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
