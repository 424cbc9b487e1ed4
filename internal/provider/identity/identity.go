// Package identity has the resource identities of objects: a name, or a namespace and a name. Resources are imported by their identity or by an
// equivalent text.
//
// A read sets the identity before it reads the object: states of Terraform before 1.12 have no identity, and the framework requires one even if the
// object is gone.
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

// NamedSchema returns the schema of the identity of an object without a namespace. what is a noun for the object, such as "placement".
func NamedSchema(what string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the " + what + "."},
	}}
}

// NamespacedSchema returns the schema of the identity of an object in a namespace.
func NamespacedSchema(what string) identityschema.Schema {
	out := NamedSchema(what)
	out.Attributes["namespace"] = identityschema.StringAttribute{RequiredForImport: true, Description: "Namespace of the " + what + "."}
	return out
}

// ScopedSchema returns the schema of the identity of an object with or without a namespace.
func ScopedSchema(what string) identityschema.Schema {
	out := NamedSchema(what)
	out.Attributes["namespace"] = identityschema.StringAttribute{OptionalForImport: true, Description: "Namespace of the " + what + ", if it is in one."}
	return out
}

// ImportScoped imports an object by "NAME", "NAMESPACE/NAME" or its identity. For other texts, it returns false and does nothing.
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

// ImportNamed imports an object by its name, as text or identity.
func ImportNamed(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	ImportAs(ctx, path.Root("name"), request, response)
}

// ImportAs is like ImportNamed, for a resource whose name is in another attribute.
func ImportAs(ctx context.Context, at path.Path, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, at, path.Root("name"), request, response)
}

// ImportNamespaced imports an object by "NAMESPACE/NAME" or its identity. For other texts, it returns false and does nothing.
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
