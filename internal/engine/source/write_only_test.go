package source

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// TestWriteOnlyIsHidden checks that the effects of an override on an object from write-only manifests contain no values, and that messages of an API server
// about the object do not contain them either.
func TestWriteOnlyIsHidden(t *testing.T) {
	t.Parallel()
	const text = `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: settings, labels: {tier: planted-b}}, data: {password: planted-a, level: info}}`
	content, err := newContent(selection.Selection{Objects: mustParse(t, text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	change := override.Overrides{Namespaced: []override.ResourceOverride{{Namespace: "shop", Name: "o", Spec: override.Spec{
		ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
		Policy: &override.Policy{OverrideRules: []override.Rule{{
			ClusterSelector:    &override.ClusterSelector{},
			JSONPatchOverrides: []override.Patch{{Operation: override.Replace, Path: "/data/password", Value: []byte(`"other"`)}},
		}}},
	}}}}
	for _, c := range []struct {
		writeOnly map[string]string
		shown     bool
	}{{nil, true}, {map[string]string{"a": text}, false}} {
		content.isWriteOnly = engine.IsFrom(c.writeOnly)
		effects, err := content.Effects(new(objectschema.Schema), "p", override.Cluster{Name: "member-1"}, override.Overrides{}, change)
		if err != nil || len(effects) != 1 || len(effects[0].Differences) != 1 {
			t.Fatalf("%v %v", effects, err)
		}
		if d := effects[0].Differences[0]; (d.InMember == "planted-a") != c.shown || (d.InHub == "other") != c.shown {
			t.Errorf("write-only: %v: %v", c.writeOnly != nil, d)
		}
		message := content.Hidden("p", override.Cluster{Name: "member-1"}, content.Objects[0].Object).Text(`ConfigMap shop/settings: "planted-b" is invalid`)
		if strings.Contains(message, "planted-b") != c.shown || !strings.Contains(message, "ConfigMap shop/settings") || !c.shown && !strings.Contains(message, diff.Redacted) {
			t.Error(message)
		}
	}
}
