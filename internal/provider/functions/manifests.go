// Package functions implements the provider's functions. They are pure and need no cluster, so every expression can use them.
package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

type manifests struct{}

// NewManifests returns the function manifests.
func NewManifests() function.Function { return manifests{} }

// Metadata returns the name of the function.
func (manifests) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = "manifests"
}

// Definition returns the signature and the documentation of the function.
func (manifests) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = function.Definition{
		Summary: "Splits YAML text into one manifest for each object",
		MarkdownDescription: "Parses YAML text with any number of documents and returns a map with one manifest for each object, for the argument " +
			"`manifests` of `fleet_envelope_configmap` and `fleet_crp`. The keys name the objects: `KIND.NAMESPACE.NAME.yaml` in lower case, with the " +
			"API group after the kind if it is needed to distinguish two objects. Invalid text, an object without kind or name, and a duplicate " +
			"object are errors.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "yaml", MarkdownDescription: "The text, such as `file(\"all.yaml\")`.",
		}},
		Return: function.MapReturn{ElementType: types.StringType},
	}
}

// Run runs the function.
func (manifests) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	var text string
	if response.Error = request.Arguments.Get(ctx, &text); response.Error != nil {
		return
	}
	split, err := manifest.Split("yaml", text)
	if err != nil {
		response.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	response.Error = response.Result.Set(ctx, split)
}
