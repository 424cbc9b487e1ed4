package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestValidate(t *testing.T) {
	const v1 = "v1"
	for name, c := range map[string]struct {
		id   manifest.Identifier
		want []string
	}{
		"a Deployment":         {manifest.Identifier{Group: "apps", Version: v1, Kind: "Deployment", Namespace: "shop", Name: "web"}, nil},
		"a custom kind":        {manifest.Identifier{Group: "example.org", Version: v1, Kind: "Widget", Name: "web"}, nil},
		"in default":           {manifest.Identifier{Version: v1, Kind: "ConfigMap", Namespace: "default", Name: "web"}, nil},
		"no namespace":         {manifest.Identifier{Group: "apps", Version: v1, Kind: "Deployment", Name: "web"}, []string{"namespace: a Deployment is namespaced: set the namespace"}},
		"a needless namespace": {manifest.Identifier{Version: v1, Kind: "Namespace", Namespace: "shop", Name: "shop"}, []string{"namespace: a Namespace is cluster-scoped: remove the namespace"}},
		"lower case":           {manifest.Identifier{Group: "apps", Version: v1, Kind: "deployment", Namespace: "shop"}, []string{`kind: "deployment" is not a kind: did you mean Deployment?`}},
		"a plural":             {manifest.Identifier{Group: "apps", Version: v1, Kind: "Deployments", Namespace: "shop"}, []string{`kind: "Deployments" is not a kind: did you mean Deployment?`}},
		"an apiVersion":        {manifest.Identifier{Version: "apps/v1", Kind: "Widget", Namespace: "shop"}, []string{`version: "apps/v1" includes a group: set group to "apps" and version to "v1"`}},
		"core":                 {manifest.Identifier{Group: "core", Version: v1, Kind: "Widget", Namespace: "shop"}, []string{`group: there is no group "core": the core group is ""`}},
		"a reserved namespace": {manifest.Identifier{Version: v1, Kind: "ConfigMap", Namespace: "kube-system", Name: "web"}, []string{
			"namespace: it is reserved: the objects in kube-system belong to the cluster or the fleet, and are never placed",
		}},
		"kube-system": {manifest.Identifier{Version: v1, Kind: "Namespace", Name: "kube-system"}, []string{
			"name: the namespace is reserved: it belongs to the cluster or the fleet, and is never placed",
		}},
		"a Secret": {manifest.Identifier{Version: v1, Kind: "Secret", Namespace: "shop", Name: "web"}, []string{
			"kind: a Secret cannot be handed over, because the state would contain its values",
		}},
		"a Node": {manifest.Identifier{Version: v1, Kind: "Node", Name: "web"}, []string{"kind: a Node is never placed, because Nodes belong to one cluster"}},
	} {
		var got []string
		for _, problem := range Validate(c.id) {
			got = append(got, problem.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
