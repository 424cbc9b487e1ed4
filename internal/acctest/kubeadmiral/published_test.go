package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/published"
)

// Each of the published examples has the result that the guide shows for this engine.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	published.Walk(t, published.Fleet{Env: env, Engine: fleet.Engine, Open: fleet.NewWorkspace}, *harness.Update)
}
