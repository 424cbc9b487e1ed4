package acctest

import (
	"os"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

var fleet harness.Harness

func TestMain(m *testing.M) { os.Exit(fleet.Main(m, true)) }

// Short names of functions that all tests use.
var must, contains, squeeze = workspace.Must, workspace.Contains, workspace.Squeeze
