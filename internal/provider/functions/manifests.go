// Package functions implements the provider's functions. They are pure and need no cluster, so every expression can use them.
package functions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
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
			"object are errors.\n\nA rendered Helm chart omits the namespace of objects that belong to the namespace of the release. A second argument sets " +
			"it. The function reads no cluster. It knows the scope of Kubernetes' own kinds, and that of the kinds that a `CustomResourceDefinition` in the " +
			"text defines. All other kinds count as namespaced.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "yaml", MarkdownDescription: "The text, such as `file(\"all.yaml\")`.",
		}},
		VariadicParameter: function.StringParameter{
			Name: "namespace", MarkdownDescription: "Optional, at most one: the namespace to set on namespaced objects whose manifest omits it, such as the namespace of " +
				"a Helm release.",
		},
		Return: function.MapReturn{ElementType: types.StringType},
	}
}

// Run runs the function.
func (manifests) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	var text string
	var namespaces []string
	if response.Error = request.Arguments.Get(ctx, &text, &namespaces); response.Error != nil {
		return
	}
	objects, err := manifest.Parse("yaml", text)
	if err != nil {
		response.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	switch {
	case len(namespaces) > 1:
		response.Error = function.NewArgumentFuncError(2, "the function takes one namespace")
		return
	case len(namespaces) == 1:
		if why := naming.Label(namespaces[0]); why != "" {
			response.Error = function.NewArgumentFuncError(1, fmt.Sprintf("%q is not the name of a namespace: %s", namespaces[0], why))
			return
		}
		objects = selection.InNamespace(objects, namespaces[0])
	}
	texts, err := manifest.Texts("yaml", objects)
	if err != nil {
		response.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	response.Error = response.Result.Set(ctx, texts)
}
