package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// validateConnections validates the known connections and the names of the members. It reads no file and dials no cluster.
func validateConnections(ctx context.Context, data model, diags *diag.Diagnostics) {
	if !data.Hub.IsNull() && !data.Hub.IsUnknown() {
		if hub, known := expandConnection(ctx, data.Hub, diags); known && !hub.IsZero() {
			addProblems(path.Root("hub"), "the hub", hub, diags)
		}
	}
	if data.Members.IsNull() || data.Members.IsUnknown() {
		return
	}
	members := data.Members.Elements()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := path.Root("members").AtMapKey(name)
		for _, problem := range member.Validate(member.Spec{Name: name}) {
			diags.AddAttributeError(rootArgument(at), "Invalid member name", problem.Message)
		}
		object, ok := members[name].(types.Object)
		if !ok || object.IsUnknown() {
			continue
		}
		if object.IsNull() {
			addEmpty(at, fmt.Sprintf("the member %q", name), "", diags)
			continue
		}
		if known, ok := expandConnection(ctx, object, diags); ok {
			addProblems(at, fmt.Sprintf("the member %q", name), known, diags)
		}
	}
}

func addEmpty(at path.Path, who, alternative string, diags *diag.Diagnostics) {
	diags.AddAttributeError(rootArgument(at), "No connection to "+who, at.String()+" is empty. Set config_path, or host with credentials"+alternative+
		"; neither $KUBECONFIG nor ~/.kube/config is used by itself. Terraform silently drops unknown keys: is one misspelt, or in camelCase?")
}

func addProblems(at path.Path, who string, c connection.Connection, diags *diag.Diagnostics) {
	if c.IsZero() {
		addEmpty(at, who, "", diags)
		return
	}
	for _, problem := range c.Problems() {
		addInvalid(at, who, problem.Field, problem.Message, diags)
	}
}

// addInvalid adds an error about an argument of a connection. Terraform finds source lines only for the arguments of the provider itself, so the text
// contains the full path.
func addInvalid(at path.Path, who, field, message string, diags *diag.Diagnostics) {
	argument := at.String()
	if field != "" {
		argument += "." + field
	}
	diags.AddAttributeError(rootArgument(at), "Invalid connection for "+who, argument+": "+message)
}

func rootArgument(at path.Path) path.Path {
	for parent := at.ParentPath(); len(parent.Steps()) > 0; parent = at.ParentPath() {
		at = parent
	}
	return at
}

// checkConnections adds errors for invalid connections. It reads the files that the connections name, but dials no cluster.
func (c Config) checkConnections(diags *diag.Diagnostics) {
	if c.Hub != nil {
		if c.Hub.IsZero() {
			addEmpty(path.Root("hub"), "the hub", ", here or in the environment (FLEET_HUB_CONFIG_PATH, ...), or omit \"hub\"", diags)
		} else {
			addConfigError(path.Root("hub"), "the hub", *c.Hub, diags)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Members)) {
		addConfigError(path.Root("members").AtMapKey(name), fmt.Sprintf("the member %q", name), c.Members[name], diags)
	}
}

func addConfigError(at path.Path, who string, c connection.Connection, diags *diag.Diagnostics) {
	if len(c.Problems()) > 0 {
		addProblems(at, who, c, diags)
		return
	}
	_, err := c.RESTConfig()
	var problem *connection.ConfigError
	switch {
	case errors.As(err, &problem):
		addInvalid(at, who, problem.Field, problem.Message, diags)
	case err != nil:
		addInvalid(at, who, "", err.Error(), diags)
	}
}

func (c Config) checkEngine(diags *diag.Diagnostics) {
	switch c.Engine {
	case EngineDirect:
		if c.Hub == nil && len(c.Members) == 0 {
			diags.AddAttributeError(path.Root("members"), "No member clusters", "The provider configuration names no cluster. "+
				"Add the member clusters to \"members\".")
		}
	case EngineKubeFleet:
		if c.Hub == nil {
			diags.AddAttributeError(path.Root("hub"), "No hub", "The engine \"kubefleet\" requires a KubeFleet hub, and the provider configuration "+
				"has no connection to one. Add it as \"hub\", or use engine = \"direct\".")
		}
	case EngineKubeAdmiral:
		if c.Hub == nil {
			diags.AddAttributeError(path.Root("hub"), "No hub", "The engine \"kubeadmiral\" requires a KubeAdmiral host cluster, and the provider "+
				"configuration has no connection to one. Add it as \"hub\", or use engine = \"direct\".")
		}
	default:
		diags.AddAttributeError(path.Root("engine"), "Engine not available", fmt.Sprintf("This version of the provider has the engines \"direct\", "+
			"\"kubefleet\" and \"kubeadmiral\", and the configuration, or FLEET_ENGINE, sets %q. With engine = \"direct\", the provider selects "+
			"the objects on the hub and applies them to the members.", c.Engine))
	}
}
