package examples

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/published"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Each of the published examples has the result that the guide shows for this engine.
func TestPublished(t *testing.T) {
	open := func(t *testing.T, text string) *workspace.Workspace {
		t.Helper()
		w := fleet.Open(t, fleet.Newest(t), "", text)
		fleet.MustDestroyAtEnd(t, w)
		return w
	}
	published.Walk(t, published.Fleet{Env: fleet.Env, Engine: harness.Engine(), Open: open}, *harness.Update)
}
