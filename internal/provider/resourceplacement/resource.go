// Package resourceplacement implements the resource fleet_resource_placement.
package resourceplacement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// New returns the resource.
func New() resource.Resource { return placement.NewResource(Kind{}) }

// Kind is the kind of placements in a namespace.
type Kind struct{}

type model struct {
	placement.Base
	Namespace types.String `tfsdk:"namespace"`
}

// TypeName returns the name of the resource type without the provider's prefix.
func (Kind) TypeName() string { return "resource_placement" }

// Schema returns the schema of the resource.
func (Kind) Schema(ctx context.Context) schema.Schema {
	attributes := placement.BaseAttributes(ctx)
	attributes["namespace"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "Namespace of the placement, and of the objects on the hub that it places. The clusters must already " +
			"have the namespace: it is not placed.",
		Validators:    validate.PlacedNamespace(),
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
	describeSelectors(attributes)
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "Places objects of one namespace of the hub on clusters of the fleet, into the same namespace there. The arguments are " +
			"the fields of KubeFleet's `ResourcePlacement` in snake_case, with the same structure and defaults. Engines `kubefleet` and `kubeadmiral`. " +
			"Texts about the engine `direct` concern only `fleet_crp`.\n\n" +
			"A `fleet_crp` can place the namespace itself, for example with `selection_scope = \"NamespaceOnly\"`. A team can then place the objects " +
			"in its namespace without rights to other objects.\n\n" +
			"Everything else works as with [`fleet_crp`](crp.md): the plan predicts the changes of each object on each cluster, an apply follows the " +
			"rollout, and a removal waits until the objects are removed from the clusters.",
		Attributes: attributes,
	}
}

// describeSelectors replaces the descriptions of selectors that do not apply to a placement in a namespace.
func describeSelectors(attributes map[string]schema.Attribute) {
	selectors, _ := attributes["resource_selectors"].(schema.ListNestedAttribute)
	for name, description := range map[string]string{
		"kind": "Kind, such as `Deployment`.", "selection_scope": "Not valid for a placement in a namespace.",
	} {
		if attribute, ok := selectors.NestedObject.Attributes[name].(schema.StringAttribute); ok {
			attribute.MarkdownDescription = description
			selectors.NestedObject.Attributes[name] = attribute
		}
	}
}

// Upgraders returns the upgrader for states of version 0. These states have a status, which the schema no longer has, and can have severities in lower case.
func (k Kind) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: placement.Upgrader(k.Schema(ctx))}
}

// Get reads a placement from a configuration, a plan or a state.
func (Kind) Get(ctx context.Context, from object.Source, diags *diag.Diagnostics) placement.Model {
	var m model
	diags.Append(from.Get(ctx, &m)...)
	return placement.Model{Base: m.Base, Namespace: m.Namespace}
}

// Set writes a placement to a state.
func (Kind) Set(ctx context.Context, to object.Target, m placement.Model) diag.Diagnostics {
	return to.Set(ctx, model{Base: m.Base, Namespace: m.Namespace})
}

// Identity returns the format of the identity.
func (Kind) Identity() identity.Format {
	return identity.Format{What: "placement", Scope: identity.Namespaced, Rule: "The ID of a placement in a namespace is NAMESPACE/NAME, such as \"web/app\""}
}
