package kubefleet_test

import (
	"context"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// TestOwnerOfPlacedObject checks that the member alone shows which placement of a hub has placed an object.
func TestOwnerOfPlacedObject(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app)
	request := placing(w)
	w.DeleteAtEnd(request)
	w.Apply(request)
	reader := owners.NewReader(clusterset.New(nil, w.Connect(enginetest.Access{}).Members, 0), func(context.Context, *kube.Cluster) (*owners.Records, error) {
		return &owners.Records{}, nil
	})
	object := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: w.Expand("$ns-app"), Name: "settings"}
	found, err := reader.Read(w.Context(), owners.Request{Cluster: w.Members[0], Object: object})
	if err != nil {
		t.Fatal(err)
	}
	if found.Owner.Kind != takeover.OwnerKubeFleet || found.Placement == nil || found.Placement.Name != request.Name || found.Since == "" {
		t.Errorf("%+v, placement %+v, since %q", found.Owner, found.Placement, found.Since)
	}
}
