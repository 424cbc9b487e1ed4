package selection

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestInNamespace(t *testing.T) {
	t.Parallel()
	objects, err := manifest.Parse("chart", `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: other}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: c}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: d}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: wides.example.org}, spec: {group: example.org, scope: Cluster, names: {kind: Wide}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: narrows.example.org}, spec: {group: example.org, scope: Namespaced, names: {kind: Narrow}}}
---
{apiVersion: example.org/v1, kind: Wide, metadata: {name: e}}
---
{apiVersion: example.org/v1, kind: Narrow, metadata: {name: f}}
---
{apiVersion: example.com/v1, kind: Wide, metadata: {name: g}}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, o := range InNamespace(objects, "shop") {
		got = append(got, o.String())
		if o.Content.GetNamespace() != o.Namespace {
			t.Errorf("%s has the namespace %q in its content", o, o.Content.GetNamespace())
		}
		if o.Namespace == "shop" && objects[i].Content.GetNamespace() != "" {
			t.Errorf("the input of %s has changed", o)
		}
	}
	want := []string{
		"ConfigMap shop/a", "ConfigMap other/b", "Namespace c", "ClusterRole d", "CustomResourceDefinition wides.example.org",
		"CustomResourceDefinition narrows.example.org", "Wide.example.org e", "Narrow.example.org shop/f", "Wide.example.com shop/g",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(strings.TrimSpace(diff))
	}
}
