package diff_test

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// object parses one manifest.
func object(t interface{ Fatal(...any) }, text string) *unstructured.Unstructured {
	objects, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return objects[0].Content
}

// config returns a ConfigMap with more fields.
func config(t interface{ Fatal(...any) }, fields string) *unstructured.Unstructured {
	return object(t, "apiVersion: v1\nkind: ConfigMap\n"+fields)
}

// sample returns a custom resource with a spec.
func sample(t interface{ Fatal(...any) }, spec string) *unstructured.Unstructured {
	return object(t, "{apiVersion: example.org/v1, kind: Sample, metadata: {name: a}, spec: "+spec+"}")
}

// describe formats differences as "path member / hub", with - for a missing value.
func describe(differences []diff.Difference) []string {
	var texts []string
	for _, d := range differences {
		member, hub := "-", "-"
		if d.HasMember {
			member = diff.Render(d.InMember)
		}
		if d.HasHub {
			hub = diff.Render(d.InHub)
		}
		texts = append(texts, d.Path+" "+member+" / "+hub)
	}
	return texts
}

// asJSON converts YAML to JSON.
func asJSON(t interface{ Fatal(...any) }, text string) string {
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// known is the schema of the built-in kinds that the provider uses.
var known = objectschema.New()

// compare returns the differences of KubeFleet's comparison.
func compare(desired, live *unstructured.Unstructured) []diff.Difference {
	return diff.Full(known, desired, live).Differences
}

// comparePartially returns the differences of the local comparison.
func comparePartially(desired, live *unstructured.Unstructured) []diff.Difference {
	return diff.Partial(known, desired, live).Differences
}

// isCovered reports whether the object on the member has every field of desired.
func isCovered(desired, live *unstructured.Unstructured) bool {
	return len(comparePartially(desired, live)) == 0
}
