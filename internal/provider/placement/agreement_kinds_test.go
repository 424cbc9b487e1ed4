package placement

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestAgreementKinds checks that an agreement passes the placement that defines a kind to the apply.
func TestAgreementKinds(t *testing.T) {
	t.Parallel()
	object := func(kind, by string) engine.ObjectPreview {
		return engine.ObjectPreview{Identifier: manifest.Identifier{Group: "example.com", Version: "v1", Kind: kind, Name: "one"}, ProvidedBy: by}
	}
	agreed := agreement{Kinds: formatKinds(&engine.Preview{Clusters: []engine.ClusterPreview{
		{Objects: []engine.ObjectPreview{object("Widget", "crds"), object("Other", "")}}, {Objects: []engine.ObjectPreview{object("Widget", "crds"), object("Gizmo", "shop/crds")}},
	}})}
	for kind, want := range map[string]string{"Widget": "crds", "Gizmo": "shop/crds", "Other": ""} {
		if got := agreed.findDefiner(object(kind, "").GroupVersionKind()); got != want {
			t.Errorf("%s comes with %q", kind, got)
		}
	}
}
