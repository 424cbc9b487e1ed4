package diff_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// TestMisspelledFieldOfSecret checks that a field of a Secret which may be a misspelled data or stringData is redacted.
func TestMisspelledFieldOfSecret(t *testing.T) {
	t.Parallel()
	secret := func(rest string) *unstructured.Unstructured {
		return object(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {b: aHVudGVyMg==}"+rest+"}")
	}
	for field, isShown := range map[string]bool{
		"stringdata: {c: hunter3}": false, "Data: {c: hunter3}": false, "spec: {data: {c: hunter3}}": false, "immutable: hunter3": false, "type: hunter3": true,
	} {
		for name, compare := range map[string]func(diff.Schema, *unstructured.Unstructured, *unstructured.Unstructured) *diff.Comparison{
			"partial": diff.Partial, "full": diff.Full,
		} {
			var text string
			c := compare(known, secret(", "+field), secret(""))
			for _, d := range c.Differences {
				text += diff.Render(d.InHub)
			}
			for _, p := range c.Patches {
				text += p.ValueInHub
			}
			if strings.Contains(text, "hunter3") != isShown {
				t.Errorf("%s, %s: %s", field, name, text)
			}
		}
	}
}
