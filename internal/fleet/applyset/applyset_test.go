package applyset

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestID(t *testing.T) {
	t.Parallel()
	// KEP-3659: applyset-<base64url(sha256(<name>.<namespace>.<kind>.<group>))>-v1; the group of a ConfigMap is empty.
	for _, name := range []string{"web", strings.Repeat("n", 63)} {
		sum := sha256.Sum256([]byte("placement-" + name + ".fleet-system.ConfigMap."))
		want := "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
		got := ID(manifest.Key{Kind: "ConfigMap", Namespace: "fleet-system", Name: "placement-" + name})
		if got != want || !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])$`).MatchString(got) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	got := Annotations(manifest.Key{Kind: "ConfigMap", Namespace: "own", Name: "parent"}, []manifest.Key{
		{Group: "apps", Kind: "Deployment", Namespace: "b", Name: "web"}, {Kind: "ConfigMap", Namespace: "a", Name: "x"},
		{Kind: "ConfigMap", Namespace: "own", Name: "y"}, {Kind: "Namespace", Name: "a"},
	}, "tool/1.2.3")
	want := map[string]string{
		KindsAnnotation: "ConfigMap,Deployment.apps,Namespace", NamespacesAnnotation: "a,b", ToolingAnnotation: "tool/1.2.3",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if PartOf(u) != "" {
		t.Error("an object without labels is part of a set")
	}
	u.SetLabels(map[string]string{"team": "red"})
	Mark(u, "set")
	if PartOf(u) != "set" || u.GetLabels()["team"] != "red" {
		t.Errorf("labels: %v", u.GetLabels())
	}
}
