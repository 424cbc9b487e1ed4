package placement

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// MoveState returns a mover that adds an error for a moved block from another kind of placement. The error says how to keep the objects. No engine can convert
// a placement to the other kind: the engine direct has no placements in namespaces, and on a hub, the two are stored as different Kubernetes kinds.
func (r *Resource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(_ context.Context, request resource.MoveStateRequest, response *resource.MoveStateResponse) {
		provider, _, _ := strings.Cut(request.SourceTypeName, "_")
		target := provider + "_" + r.kind.TypeName()
		if !strings.HasSuffix(request.SourceProviderAddress, "/"+provider) || !isPlacement(request.SourceTypeName) {
			return
		}
		response.Diagnostics.AddError("A placement cannot move to another resource type", fmt.Sprintf("A moved block changes a %s into a %s. These "+
			"are two kinds of placements, and no engine changes one into the other. Nothing was written. To keep the objects, remove the moved block "+
			"and restore the %s, set its strategy.delete_strategy.propagation_policy to \"Abandon\", and run apply. Then replace it by the %s and run "+
			"apply: the objects remain on the clusters, and strategy.apply_strategy.when_to_take_over decides whether they are taken over.", request.SourceTypeName, target, request.SourceTypeName, target))
	}}}
}

func isPlacement(typeName string) bool {
	_, kind, _ := strings.Cut(typeName, "_")
	return kind == "crp" || kind == "resource_placement"
}
