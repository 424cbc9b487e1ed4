package plan

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestIsObject(t *testing.T) {
	for name, tt := range map[string]struct {
		id   manifest.Identifier
		want bool
	}{
		"a namespaced object": {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "b"}, true},
		"one without":         {manifest.Identifier{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "system:a"}, true},
		"a path":              {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "../b"}, false},
		"a parent":            {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "..", Name: "b"}, false},
		"an escape":           {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a", Name: "b%2fc"}, false},
		"no name":             {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "a"}, false},
		"no kind":             {manifest.Identifier{Version: "v1", Namespace: "a", Name: "b"}, false},
		"no version":          {manifest.Identifier{Kind: "ConfigMap", Namespace: "a", Name: "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isObject(tt.id); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
