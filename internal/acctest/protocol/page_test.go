package protocol

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestPage checks that previews of real clusters become a page, that equal plans have equal data, and that no Secret is in it.
func TestPage(t *testing.T) {
	t.Parallel()
	configuration := configured(t, `
resource "fleet_crp" "p" {
  name         = "previewed-page"
  policy       = { placement_type = "PickFixed", cluster_names = [`+onTwo+`] }
  manifests    = {
    "all.yaml"    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: previewed-page, namespace: default}}"
    "secret.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: previewed-page, namespace: default}, stringData: {a: planted-in-manifests}}"
  }
  manifests_wo = { "written.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: previewed-page-wo, namespace: default}, stringData: {a: planted-write-only}}" }
}
data "fleet_placement_preview" "p" {
  name = fleet_crp.p.name
}
`)
	read := func() string {
		t.Helper()
		data, _ := Lookup(done(t, New().Plan(t.Context(), configuration)).Changes["data.fleet_placement_preview.p"].After, "report_data").(string)
		return data
	}
	list := func(texts ...string) cty.Value {
		values := make([]cty.Value, len(texts))
		for i, text := range texts {
			values[i] = cty.StringVal(text)
		}
		return cty.ListVal(values)
	}
	data := read()
	if again := read(); again != data {
		t.Errorf("the data of the same plan differs:\n%s\n%s", data, again)
	}
	got, err := CallWith(t.Context(), "preview_html", list(data, data))
	page, _ := Lookup(got).(string)
	if err != nil || !strings.Contains(page, "Placement previewed-page (2 clusters): 6 to create") || strings.Contains(page, "planted") {
		t.Errorf("%v, page:\n%s", err, page)
	}
	for _, c := range []struct{ element, want string }{
		{"{}", "previews[1]: it is not a report_data"},
		{"not JSON", "previews[1]: it is not a report_data"},
		{strings.Replace(data, `"fleet_report":2`, `"fleet_report":99`, 1), "previews[1]: it has format 99"},
		{strings.Replace(data, `"objects":[`, `"objects":[100000,`, 1), "previews[1]: it is not a complete report_data"},
	} {
		if _, err := CallWith(t.Context(), "preview_html", list(data, c.element)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v instead of %q", err, c.want)
		}
	}
}
