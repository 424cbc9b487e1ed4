package source

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// TestEffectsOfReplacedData checks that an override of a key in the data of a Secret has no effect on a cluster if stringData has the same key. An override of
// another key has an effect.
func TestEffectsOfReplacedData(t *testing.T) {
	t.Parallel()
	content := &Content{}
	content.Objects = append(content.Objects, NewObject(mustParse(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: web, name: s}, stringData: {k: v}, data: {k: djE=, other: djE=}}")[0]))
	for path, want := range map[string]string{"/data/k": "", "/data/other": "data.other", "/stringData/k": "stringData.k"} {
		var change override.Overrides
		text := "{Namespaced: [{Namespace: web, Name: o, Spec: {resourceSelectors: [{group: '', version: v1, kind: Secret, name: s}], policy: {overrideRules: " +
			"[{clusterSelector: {}, jsonPatchOverrides: [{op: replace, path: " + path + ", value: djI=}]}]}}}]}"
		if err := yaml.UnmarshalStrict([]byte(text), &change); err != nil {
			t.Fatal(err)
		}
		effects, err := content.Effects(new(objectschema.Schema), "p", override.Cluster{Name: "member-1"}, override.Overrides{}, change)
		if err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, o := range effects {
			for _, d := range o.Differences {
				fields = append(fields, d.Field)
			}
		}
		if got := strings.Join(fields, ","); got != want || (len(effects) > 0) != (want != "") {
			t.Errorf("an override of %s changes %d objects, in %q, want %q", path, len(effects), got, want)
		}
	}
}
