package objectowner

import (
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	owned := func(kind takeover.OwnerKind, name string) *owners.Found {
		return &owners.Found{Owner: takeover.Owner{Kind: kind, Name: name}}
	}
	through := func(found *owners.Found, names ...string) *owners.Found {
		for _, name := range names {
			found.Controllers = append(found.Controllers, manifest.Identifier{Kind: "Controller", Namespace: "shop", Name: name})
		}
		return found
	}
	fromHub := owned(takeover.OwnerKubeFleet, "web-work")
	fromHub.Placement = &owners.Placement{Name: "web"}
	takenOver := owned(takeover.OwnerPlacement, "web")
	takenOver.Placement = &owners.Placement{Name: "web", TookOver: true}
	lost := owned(takeover.OwnerController, "Controller a")
	lost.Unfollowed = errors.New("forbidden")
	for want, found := range map[string]*owners.Found{
		"does not exist.": nil,
		`belongs to the placement "web" of the engine direct.`: owned(takeover.OwnerPlacement, "web"),
		`belongs to the placement "web" of a KubeFleet hub.`:   fromHub,
		`belongs to the placement "web" of the engine direct, which took it over: if the placement is destroyed, the object remains on the cluster.`: takenOver,
		"was left on the cluster by a placement of this provider; no placement, hub or tool is known to own it.":                                     owned(takeover.OwnerReleased, ""),
		"belongs to a placement of a KubeAdmiral hub.":                              owned(takeover.OwnerKubeAdmiral, ""),
		"belongs to Helm release shop/web.":                                         owned(takeover.OwnerHelm, "shop/web"),
		"belongs to Karmada.":                                                       owned(takeover.OwnerTool, "Karmada"),
		"belongs to Kubernetes itself.":                                             owned(takeover.OwnerKubernetes, ""),
		"has no owner: no placement, hub or tool is known to own it.":               owned(takeover.OwnerNone, ""),
		"was written with kubectl; no placement, hub or tool is known to own it.":   owned(takeover.OwnerKubectl, ""),
		"belongs to Controller a, whose owner is unknown.":                          lost,
		"belongs to Helm release shop/\\u001b[31m forged.":                          owned(takeover.OwnerHelm, "shop/\x1b[31m\nforged"),
		"was created by Controller shop/a, which belongs to Helm release shop/web.": through(owned(takeover.OwnerHelm, "shop/web"), "a"),
		"was created by Controller shop/a, created by Controller shop/b, which no placement, hub or tool is known to own.": through(
			owned(takeover.OwnerController, "Controller b"), "a", "b"),
	} {
		request := owners.Request{Cluster: "member-1", Object: manifest.Identifier{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}}
		if got := describe(request, found); got != `ConfigMap shop/settings on "member-1" `+want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
