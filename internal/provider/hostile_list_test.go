package provider

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

func (h hostileEngine) List(ctx context.Context, of engine.Collection, filter engine.Filter) (*engine.List, error) {
	out, err := h.fullEngine.List(ctx, of, filter)
	out.Missed = []engine.MissedCluster{{Cluster: word, Err: errors.New(hostileText)}}
	return hostileCopy(out), err
}

func (m hostileMembers) List(ctx context.Context, request workload.ListRequest) ([]workload.Unmanaged, []engine.MissedCluster, error) {
	out, _, err := m.fullMembers.List(ctx, request)
	missed := []engine.MissedCluster{{Cluster: word + hostileText, Err: errors.New(hostileText)}}
	return *hostileCopy(&out), missed, err
}

// TestListsWithHostileTexts checks that a list shows no control character from a cluster: not in a name, an identity, a computed attribute or a
// warning.
func TestListsWithHostileTexts(t *testing.T) {
	p := New("test", nil)()
	resources := map[string]resource.Resource{}
	for _, newOne := range p.Resources(t.Context()) {
		r, name := configuredResource(t, newOne(), hostileEngine{})
		resources[name] = r
	}
	everything := func(string) bool { return true }
	for _, newOne := range p.(*Provider).ListResources(t.Context()) {
		l := newOne()
		var metadata resource.MetadataResponse
		l.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
		t.Run(metadata.TypeName, func(t *testing.T) {
			shared := &session.Session{Engine: hostileEngine{}, Readers: session.Readers{Workloads: hostileMembers{}}, Preview: session.PreviewAuto}
			l.(list.ListResourceWithConfigure).Configure(t.Context(), resource.ConfigureRequest{ProviderData: shared}, &resource.ConfigureResponse{})
			var filters list.ListResourceSchemaResponse
			l.ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &filters)
			config, _ := filters.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
			none := map[string]tftypes.Value{}
			for name, of := range config.AttributeTypes {
				none[name] = tftypes.NewValue(of, nil)
			}
			var described resource.SchemaResponse
			resources[metadata.TypeName].Schema(t.Context(), resource.SchemaRequest{}, &described)
			request := list.ListRequest{
				Config: tfsdk.Config{Schema: filters.Schema, Raw: tftypes.NewValue(config, none)}, IncludeResource: true,
				ResourceSchema: described.Schema, ResourceIdentitySchema: emptyIdentity(t, resources[metadata.TypeName]).Schema,
			}
			var stream list.ListResultsStream
			l.List(t.Context(), request, &stream)
			listed := 0
			for result := range stream.Results {
				checkDiagnostics(t, result.Diagnostics)
				if result.Identity == nil {
					continue
				}
				if strings.ContainsFunc(result.DisplayName, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("the name is %q", result.DisplayName)
				}
				listed += checkTexts(t, result.Identity.Raw, everything)
				checkTexts(t, result.Resource.Raw, func(name string) bool {
					attribute := described.Schema.GetAttributes()[name]
					return attribute.IsComputed() && !attribute.IsOptional()
				})
			}
			if listed == 0 {
				t.Error("no text of a cluster is listed")
			}
		})
	}
}
