// Package identity is what Terraform knows an object by: its name, or its namespace and name. Resources that have it are imported by it and
// by a text that says the same.
//
// A read sets the identity before it looks for the object: Terraform before 1.12 has kept none, and the framework wants one of what is gone, too.
package identity

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Named is the identity of an object without a namespace.
type Named struct {
	Name types.String `tfsdk:"name"`
}

// Namespaced is the identity of an object in a namespace.
type Namespaced struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// NamedSchema describes the identity of an object without a namespace. what is the object: "placement".
func NamedSchema(what string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the " + what + "."},
	}}
}

// NamespacedSchema describes the identity of an object in a namespace.
func NamespacedSchema(what string) identityschema.Schema {
	out := NamedSchema(what)
	out.Attributes["namespace"] = identityschema.StringAttribute{RequiredForImport: true, Description: "Namespace of the " + what + "."}
	return out
}

// ScopedSchema describes the identity of an object that may be in a namespace, or in none.
func ScopedSchema(what string) identityschema.Schema {
	out := NamedSchema(what)
	out.Attributes["namespace"] = identityschema.StringAttribute{OptionalForImport: true, Description: "Namespace of the " + what + ", if it is in one."}
	return out
}

// ImportScoped takes "NAME" or "NAMESPACE/NAME", or the identity. It returns false, and does nothing, for a text that is neither.
func ImportScoped(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) bool {
	id := Namespaced{Name: types.StringValue(request.ID)}
	switch {
	case request.ID == "":
		response.Diagnostics.Append(request.Identity.Get(ctx, &id)...)
	case strings.Contains(request.ID, "/"):
		return ImportNamespaced(ctx, request, response)
	}
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("name"), id.Name)...)
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("namespace"), id.Namespace)...)
	return true
}

// ImportNamed takes the name, as text or as identity.
func ImportNamed(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	ImportAs(ctx, path.Root("name"), request, response)
}

// ImportAs is ImportNamed for a resource that has the name at another attribute.
func ImportAs(ctx context.Context, at path.Path, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, at, path.Root("name"), request, response)
}

// ImportNamespaced takes "NAMESPACE/NAME", or the identity. It returns false, and does nothing, for a text that is neither.
func ImportNamespaced(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) bool {
	if request.ID == "" {
		resource.ImportStatePassthroughWithIdentity(ctx, path.Root("namespace"), path.Root("namespace"), request, response)
		resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), request, response)
		return true
	}
	namespace, name, found := strings.Cut(request.ID, "/")
	if !found || namespace == "" || name == "" || strings.Contains(name, "/") {
		return false
	}
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("namespace"), namespace)...)
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("name"), name)...)
	return true
}
