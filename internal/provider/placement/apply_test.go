package placement

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// TestRecordedWarning checks that the detail is one or more sentences, whether or not the engine's warning ends with a period.
func TestRecordedWarning(t *testing.T) {
	m := Model{}
	m.Name = types.StringValue("web")
	for name, test := range map[string]struct {
		warning              string
		isRemoving, isImport bool
		summary, detail      string
	}{
		"none":    {},
		"import":  {"a policy is incomplete", false, true, `The placement "web" was not imported completely`, "a policy is incomplete."},
		"refresh": {"The record is damaged.", false, false, `The status of placement "web" could not be refreshed`, "The record is damaged."},
		"removal": {
			"member-2 has objects", true, false, `The removal of placement "web" is not complete`,
			"member-2 has objects. If the configuration still has the placement, an apply creates it again.",
		},
		"removal, sentence": {
			"Apply again.", true, false, `The removal of placement "web" is not complete`,
			"Apply again. If the configuration still has the placement, an apply creates it again.",
		},
		"removal, unknown cause": {
			"", true, false, `The removal of placement "web" is not complete`, "If the configuration still has the placement, an apply creates it again.",
		},
	} {
		recorded := &engine.Recorded{Warning: test.warning}
		recorded.Status.Removing = test.isRemoving
		if summary, detail := m.recordedWarning(recorded, test.isImport); summary != test.summary || detail != test.detail {
			t.Errorf("%s: %q, %q", name, summary, detail)
		}
	}
}
