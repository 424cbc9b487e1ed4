package kubeadmiral_test

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

// TestOwnerOfPlacedObject checks that the member alone shows that a host has placed an object.
func TestOwnerOfPlacedObject(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}}")
	result := applied(t, w, request)
	reader := owners.NewReader(clusterset.New(nil, w.Connect(enginetest.Access{}).Members, 0), func(context.Context, *kube.Cluster) (*owners.Records, error) {
		return &owners.Records{}, nil
	})
	object := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: w.Expand("$ns"), Name: "settings"}
	found, err := reader.Read(w.Context(), owners.Request{Cluster: w.Members[0], Object: object})
	if err != nil {
		t.Fatal(err)
	}
	if found.Owner.Kind != takeover.OwnerKubeAdmiral || found.Placement == nil || found.Since == "" {
		t.Errorf("%+v, placement %+v, since %q", found.Owner, found.Placement, found.Since)
	}
	w.Delete(request.After(result.Status))
}
