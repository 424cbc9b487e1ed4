// Package identifier has the Terraform representation of object names.
package identifier

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

// Model is an object, and the envelope that contains it.
type Model struct {
	Object
	Envelope *Envelope `tfsdk:"envelope"`
}

// Object is the name of an object.
type Object struct {
	Group     string `tfsdk:"group"`
	Version   string `tfsdk:"version"`
	Kind      string `tfsdk:"kind"`
	Namespace string `tfsdk:"namespace"`
	Name      string `tfsdk:"name"`
}

// Envelope is the envelope that contains an object.
type Envelope struct {
	Name      string `tfsdk:"name"`
	Namespace string `tfsdk:"namespace"`
	Type      string `tfsdk:"type"`
}

// Selector selects an object by its name.
type Selector struct {
	Group   string `tfsdk:"group"`
	Version string `tfsdk:"version"`
	Kind    string `tfsdk:"kind"`
	Name    string `tfsdk:"name"`
}

// ObjectAttributes returns the schema of a computed Object. without states in which cases there is no namespace, such as "for cluster-scoped kinds".
func ObjectAttributes(without string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"group":     schema.StringAttribute{Computed: true, MarkdownDescription: "API group; empty for the core group."},
		"version":   schema.StringAttribute{Computed: true, MarkdownDescription: "API version."},
		"kind":      schema.StringAttribute{Computed: true, MarkdownDescription: "Kind."},
		"namespace": schema.StringAttribute{Computed: true, MarkdownDescription: "Namespace; empty " + without + "."},
		"name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Name."},
	}
}

// Attributes returns the schema of a computed Model.
func Attributes() map[string]schema.Attribute {
	out := ObjectAttributes("for cluster-scoped kinds")
	out["envelope"] = schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "The envelope that contains the object, if any.",
		Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the envelope."},
			"namespace": schema.StringAttribute{Computed: true, MarkdownDescription: "Namespace of the envelope."},
			"type":      schema.StringAttribute{Computed: true, MarkdownDescription: enum.OneOf[envelope.Type]() + "."},
		},
	}
	return out
}

// FlattenObject converts the name of an object.
func FlattenObject(id manifest.Identifier) Object {
	return Object{Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}

// Flatten converts the name of an object and its envelope.
func Flatten(id manifest.Identifier) Model {
	out := Model{Object: FlattenObject(id)}
	if id.Envelope != nil {
		out.Envelope = new(Envelope(*id.Envelope))
	}
	return out
}

// Expand converts the model to the value of the domain.
func (m Model) Expand() manifest.Identifier {
	out := manifest.Identifier{Group: m.Group, Version: m.Version, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
	if m.Envelope != nil {
		out.Envelope = new(manifest.Envelope(*m.Envelope))
	}
	return out
}
