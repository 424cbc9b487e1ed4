package workload

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

// IdentitySchema returns the schema of the identity.
func (*Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse) {
	required := func(description string) identityschema.StringAttribute {
		return identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	optional := func(description string) identityschema.StringAttribute {
		return identityschema.StringAttribute{OptionalForImport: true, Description: description}
	}
	response.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"cluster":   required("The member on which the workload runs."),
		"group":     optional("API group, such as apps; omit it for the core group."),
		"version":   required("API version, such as v1."),
		"kind":      required("Kind, such as Deployment."),
		"namespace": optional("Namespace, if the workload is namespaced."),
		"name":      required("Name of the workload."),
	}}
}

var importKeys = []string{"cluster", "apiVersion", "kind", "namespace", "name"}

// ImportState imports a workload by "cluster=CLUSTER,apiVersion=GROUP/VERSION,kind=KIND,namespace=NAMESPACE,name=NAME", or by its identity.
func (*Resource) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	var id identifier.OnMember
	if request.ID == "" {
		response.Diagnostics.Append(request.Identity.Get(ctx, &id)...)
	} else {
		var ok bool
		if id, ok = parseID(request.ID); !ok {
			response.Diagnostics.AddError("Invalid import ID", "The import ID must have the form cluster=CLUSTER,apiVersion=GROUP/VERSION,kind=KIND,"+
				"namespace=NAMESPACE,name=NAME, such as \"cluster=member-1,apiVersion=apps/v1,kind=Deployment,namespace=shop,name=web\". The given ID is \""+
				request.ID+"\".")
			return
		}
	}
	for name, value := range map[string]any{
		"cluster": id.Cluster, "group": id.Group, "version": id.Version, "kind": id.Kind, "namespace": id.Namespace, "name": id.Name,
	} {
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

func parseID(text string) (id identifier.OnMember, ok bool) {
	values := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(part, "=")
		if _, twice := values[key]; !found || value == "" || twice || !slices.Contains(importKeys, key) {
			return identifier.OnMember{}, false
		}
		values[key] = value
	}
	for _, key := range importKeys {
		if values[key] == "" && key != "namespace" {
			return identifier.OnMember{}, false
		}
	}
	version, err := schema.ParseGroupVersion(values["apiVersion"])
	return identifier.NewOnMember(values["cluster"], manifest.Identifier{
		Group: version.Group, Version: version.Version, Kind: values["kind"], Namespace: values["namespace"], Name: values["name"],
	}), err == nil
}
