package diff_test

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// object reads one manifest.
func object(t interface{ Fatal(...any) }, text string) *unstructured.Unstructured {
	objects, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return objects[0].Content
}

// config is a ConfigMap with more fields.
func config(t interface{ Fatal(...any) }, fields string) *unstructured.Unstructured {
	return object(t, "apiVersion: v1\nkind: ConfigMap\n"+fields)
}

// sample is a custom resource with a spec.
func sample(t interface{ Fatal(...any) }, spec string) *unstructured.Unstructured {
	return object(t, "{apiVersion: example.org/v1, kind: Sample, metadata: {name: a}, spec: "+spec+"}")
}

// told writes differences as "path member / hub", with - for what is not there.
func told(differences []diff.Difference) []string {
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

// asJSON turns YAML into JSON.
func asJSON(t interface{ Fatal(...any) }, text string) string {
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// known is the schema of the built-in kinds, as the provider has it.
var known = objectschema.New()

// compare is KubeFleet's comparison.
func compare(desired, live *unstructured.Unstructured) []diff.Difference {
	return diff.Full(known, desired, live).Differences
}

// partially is the local comparison's differences.
func partially(desired, live *unstructured.Unstructured) []diff.Difference {
	return diff.Partial(known, desired, live).Differences
}

// covers tells whether the object on the member has every field of desired.
func covers(desired, live *unstructured.Unstructured) bool { return len(partially(desired, live)) == 0 }
