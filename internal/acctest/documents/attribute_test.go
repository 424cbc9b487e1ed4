package documents

import "testing"

// TestAttribute checks that single-line and multi-line attributes are returned as shown.
func TestAttribute(t *testing.T) {
	const plan = `
  # fleet_crp.other will be created
  + resource "fleet_crp" "other" {
      + planned_changes = "nothing"
    }

  # fleet_crp.web will be updated in-place
  ~ resource "fleet_crp" "web" {
      ~ name             = "web"
      + planned_changes  = <<-EOT
            1 to update on member-1
            update ConfigMap web/settings:
              data.color: "blue" -> "green"
        EOT
        # (2 unchanged attributes hidden)
    }
`
	for name, want := range map[string]string{
		"name":            `~ name = "web"`,
		"planned_changes": "+ planned_changes = <<-EOT\n      1 to update on member-1\n      update ConfigMap web/settings:\n        data.color: \"blue\" -> \"green\"\n  EOT",
	} {
		if got := Attribute(t, plan, "fleet_crp.web", name); got != want {
			t.Errorf("%s: %q instead of %q", name, got, want)
		}
	}
}
