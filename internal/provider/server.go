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

// framework is the plugin framework's server.
type framework interface {
	tfprotov6.ProviderServerWithListResource //nolint:staticcheck // deprecated in favor of interfaces that no release has yet
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// server is the framework's server with other words for what the framework itself reports about a configuration. An element of a list that is null counts
// as left out: the framework reports the required attributes below it as missing.
type server struct{ framework }

// NewServer returns the server of a provider.
func NewServer(p provider.Provider) tfprotov6.ProviderServer {
	inner := providerserver.NewProtocol6(p)()
	if complete, is := inner.(framework); is {
		return server{complete}
	}
	return inner
}

// ValidateProviderConfig checks the configuration of the provider.
func (s server) ValidateProviderConfig(ctx context.Context, request *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	response, err := s.framework.ValidateProviderConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema { return all.Provider })
	}
	return response, err
}

// ValidateResourceConfig checks the configuration of a resource.
func (s server) ValidateResourceConfig(ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	response, err := s.framework.ValidateResourceConfig(ctx, request)
	if err == nil {
		response.Diagnostics = s.reword(ctx, response.Diagnostics, request.Config, func(all *tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema {
			return all.ResourceSchemas[request.TypeName]
		})
	}
	return response, err
}

// ValidateDataResourceConfig checks the configuration of a data source.
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

// ValidateEphemeralResourceConfig checks the configuration of an ephemeral resource.
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

// ValidateActionConfig checks the configuration of an action.
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

// ValidateListResourceConfig checks the configuration of a list resource.
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

// reword returns the diagnostics of a configuration in the words of this provider; of returns the schema of the configuration.
func (s server) reword(
	ctx context.Context, found []*tfprotov6.Diagnostic, config *tfprotov6.DynamicValue, of func(*tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema,
) []*tfprotov6.Diagnostic {
	const missing, unconverted = "Missing Configuration for Required Attribute", "Value Conversion Error"
	incomplete := slices.ContainsFunc(found, func(d *tfprotov6.Diagnostic) bool { return d.Summary == missing })
	out := found[:0:0]
	for _, d := range found {
		at := convert.PathText(d.Attribute)
		switch d.Summary {
		case unconverted:
			if incomplete { // a required argument that is null cannot be converted either
				continue
			}
		case missing:
			if s.isBelowNull(ctx, d.Attribute, config, of) {
				continue
			}
			d = reworded(d, "Missing argument", at+" is required, and it is left out or null. Set it.")
		case "Invalid Configuration for Read-Only Attribute":
			d = reworded(d, "Attribute that cannot be set", "The provider sets "+at+". Remove it from the configuration.")
		case "WriteOnly Attribute Not Allowed":
			d = reworded(d, "Terraform is too old for this argument", at+" is write-only, which needs Terraform 1.11 or OpenTofu 1.11. Remove it, or use a newer version.")
		}
		out = append(out, d)
	}
	return out
}

// reworded returns a diagnostic with another text, at the argument of the resource: Terraform finds the line of that one only.
func reworded(d *tfprotov6.Diagnostic, summary, detail string) *tfprotov6.Diagnostic {
	out := &tfprotov6.Diagnostic{Severity: d.Severity, Summary: summary, Detail: detail, Attribute: d.Attribute}
	if steps := d.Attribute.Steps(); len(steps) > 1 {
		out.Attribute = tftypes.NewAttributePathWithSteps(steps[:1])
	}
	return out
}

// isBelowNull reports whether a path leads through a value that is null.
func (s server) isBelowNull(
	ctx context.Context, path *tftypes.AttributePath, config *tfprotov6.DynamicValue, of func(*tfprotov6.GetProviderSchemaResponse) *tfprotov6.Schema,
) bool {
	all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || config == nil {
		return false
	}
	schema := of(all)
	if schema == nil {
		return false
	}
	raw, err := config.Unmarshal(schema.ValueType())
	if err != nil {
		return false
	}
	for above := path.WithoutLastStep(); above != nil && len(above.Steps()) > 0; above = above.WithoutLastStep() {
		if found, _, err := tftypes.WalkAttributePath(raw, above); err == nil {
			if value, is := found.(tftypes.Value); is && value.IsNull() {
				return true
			}
		}
	}
	return false
}
