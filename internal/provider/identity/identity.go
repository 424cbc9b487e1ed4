// Package identity has the resource identities of objects: a name, or a namespace and a name. Resources are imported by their identity or by an
// equivalent text.
//
// A read sets the identity before it reads the object: states of Terraform before 1.12 have no identity, and the framework requires one even if the
// object no longer exists.
package identity

import (
	"cmp"
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Scope is the scope of the objects of a resource type.
type Scope int

// The scopes.
const (
	ClusterScoped Scope = iota
	Namespaced
	EitherScope
)

// Format is the format of the identity and of the import ID of a resource type.
type Format struct {
	// What is a noun for the object, such as "placement".
	What  string
	Scope Scope
	// Attribute is the attribute of the resource that has the name of the object. If it is empty, the attribute is "name". In the identity, the name is always
	// called "name".
	Attribute string
	// Rule describes valid import IDs, for an error message. If it is empty, every text is a valid name.
	Rule string
}

// At returns the path of the attribute with the name of the object.
func (f Format) At() path.Path { return path.Root(cmp.Or(f.Attribute, "name")) }

// Schema returns the schema of the identity.
func (f Format) Schema() identityschema.Schema {
	out := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the " + f.What + "."},
	}}
	switch f.Scope {
	case ClusterScoped:
	case Namespaced:
		out.Attributes["namespace"] = identityschema.StringAttribute{RequiredForImport: true, Description: "Namespace of the " + f.What + "."}
	case EitherScope:
		out.Attributes["namespace"] = identityschema.StringAttribute{OptionalForImport: true, Description: "Namespace of the " + f.What + ", if it is in one."}
	}
	return out
}

// Set sets the identity of the object in a state.
func (f Format) Set(ctx context.Context, identity *tfsdk.ResourceIdentity, state tfsdk.State, diags *diag.Diagnostics) {
	copyTo := func(name string, from path.Path) {
		var value types.String
		diags.Append(state.GetAttribute(ctx, from, &value)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(name), value)...)
	}
	copyTo("name", f.At())
	if f.Scope != ClusterScoped {
		copyTo("namespace", path.Root("namespace"))
	}
}

// Import imports an object by its identity, or by "NAME" or "NAMESPACE/NAME".
func (f Format) Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	first, second, hasSlash := strings.Cut(request.ID, "/")
	isPair := first != "" && second != "" && !strings.Contains(second, "/")
	diags := &response.Diagnostics
	switch {
	case f.Scope == ClusterScoped && (f.Rule == "" || !hasSlash):
		resource.ImportStatePassthroughWithIdentity(ctx, f.At(), path.Root("name"), request, response)
	case f.Scope != ClusterScoped && request.ID == "":
		for _, name := range []string{"namespace", "name"} {
			var value types.String
			diags.Append(request.Identity.GetAttribute(ctx, path.Root(name), &value)...)
			diags.Append(response.State.SetAttribute(ctx, path.Root(name), value)...)
		}
	case f.Scope == EitherScope && !hasSlash:
		diags.Append(response.State.SetAttribute(ctx, path.Root("name"), request.ID)...)
	case f.Scope != ClusterScoped && isPair:
		diags.Append(response.State.SetAttribute(ctx, path.Root("namespace"), first)...)
		diags.Append(response.State.SetAttribute(ctx, path.Root("name"), second)...)
	default:
		diags.AddError("Invalid import ID", f.Rule+". The given ID is \""+request.ID+"\".")
	}
}
