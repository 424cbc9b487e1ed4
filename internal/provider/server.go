package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

type framework interface {
	tfprotov6.ProviderServerWithListResource //nolint:staticcheck // deprecated in favor of interfaces that no release has yet
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// server is the framework's server with clearer texts for the errors that the framework itself reports about a configuration. The framework reports the
// required attributes below a null element of a list as missing. server drops these errors, because a null element counts as omitted.
type server struct{ framework }

func newRunServer(p provider.Provider) server {
	return server{providerserver.NewProtocol6(p)().(framework)} //nolint:forcetypeassert // the framework has one type of server
}

// ValidateProviderConfig validates the configuration of the provider.
func (s server) ValidateProviderConfig(ctx context.Context, request *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	response, err := s.framework.ValidateProviderConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema { return all.Provider })
	}
	return response, err
}

// ValidateResourceConfig validates the configuration of a resource.
func (s server) ValidateResourceConfig(ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	response, err := s.framework.ValidateResourceConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			return all.ResourceSchemas[request.TypeName]
		})
	}
	return response, err
}

// ValidateDataResourceConfig validates the configuration of a data source.
func (s server) ValidateDataResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	response, err := s.framework.ValidateDataResourceConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			return all.DataSourceSchemas[request.TypeName]
		})
	}
	return response, err
}

// ValidateEphemeralResourceConfig validates the configuration of an ephemeral resource.
func (s server) ValidateEphemeralResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	response, err := s.framework.ValidateEphemeralResourceConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			return all.EphemeralResourceSchemas[request.TypeName]
		})
	}
	return response, err
}

// ValidateActionConfig validates the configuration of an action.
func (s server) ValidateActionConfig(ctx context.Context, request *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	response, err := s.framework.ValidateActionConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			if action := all.ActionSchemas[request.ActionType]; action != nil {
				return action.Schema
			}
			return nil
		})
	}
	return response, err
}

// ValidateListResourceConfig validates the configuration of a list resource.
func (s server) ValidateListResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	response, err := s.framework.ValidateListResourceConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			return all.ListResourceSchemas[request.TypeName]
		})
	}
	return response, err
}

// reword replaces the framework's texts in the diagnostics of a configuration. schemaOf returns the schema of the configuration.
func (s server) reword(
	ctx context.Context, found []*tfprotov6.Diagnostic, config *tfprotov6.DynamicValue, schemaOf func(*tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema,
) []*tfprotov6.Diagnostic {
	const missingAttribute, conversionError = "Missing Configuration for Required Attribute", "Value Conversion Error"
	incomplete := slices.ContainsFunc(found, func(d *tfprotov6.Diagnostic) bool { return d.Summary == missingAttribute })
	out := found[:0:0]
	for _, d := range found {
		at := convert.PathText(d.Attribute)
		switch d.Summary {
		case conversionError:
			if incomplete { // a required argument that is null cannot be converted either
				continue
			}
		case missingAttribute:
			if s.isBelowNull(ctx, d.Attribute, config, schemaOf) {
				continue
			}
			d = withText(d, "Missing argument", at+" is required, and it is missing or null. Set it.")
		case "Invalid Configuration for Read-Only Attribute":
			d = withText(d, "Attribute that cannot be set", "The provider sets "+at+". Remove it from the configuration.")
		case "WriteOnly Attribute Not Allowed":
			d = withText(d, "Terraform is too old for this argument", at+" is write-only, which needs Terraform 1.11 or OpenTofu 1.11. Remove it, or use a newer version.")
		}
		out = append(out, d)
	}
	return out
}

// withText returns the diagnostic with another text. The result points to the top-level argument, because Terraform finds source lines only for top-level
// arguments.
func withText(d *tfprotov6.Diagnostic, summary, detail string) *tfprotov6.Diagnostic {
	out := &tfprotov6.Diagnostic{Severity: d.Severity, Summary: summary, Detail: detail, Attribute: d.Attribute}
	if steps := d.Attribute.Steps(); len(steps) > 1 {
		out.Attribute = tftypes.NewAttributePathWithSteps(steps[:1])
	}
	return out
}

// isBelowNull reports whether a value in the configuration above the end of the path is null. It returns false if the configuration cannot be read.
func (s server) isBelowNull(
	ctx context.Context, path *tftypes.AttributePath, config *tfprotov6.DynamicValue, schemaOf func(*tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema,
) bool {
	all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || config == nil {
		return false
	}
	schema := schemaOf(all)
	if schema == nil {
		return false
	}
	raw, err := config.Unmarshal(schema.ValueType())
	if err != nil {
		return false
	}
	for above := path.WithoutLastStep(); above != nil && len(above.Steps()) > 0; above = above.WithoutLastStep() {
		if found, _, err := tftypes.WalkAttributePath(raw, above); err == nil {
			if value, ok := found.(tftypes.Value); ok && value.IsNull() {
				return true
			}
		}
	}
	return false
}
