package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

// TestBuilt builds the real programs, or uses the cached ones.
func TestBuilt(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a cold build takes minutes: set TF_ACC=1")
	}
	for i, want := range []struct {
		get                func(context.Context, io.Writer) (Binary, error)
		name, version, env string
	}{
		{Terraform, TerraformName, "1.16.", TerraformEnv},
		{Terraform111, TerraformName, "1.11.", Terraform111Env},
		{OpenTofu, OpenTofuName, "1.12.", OpenTofuEnv},
	} {
		if i > 0 && testing.Short() {
			break // make test-all builds the others
		}
		binary, err := want.get(t.Context(), os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		if binary.Name != want.name || os.Getenv(want.env) == "" && !strings.HasPrefix(binary.Version, want.version) {
			t.Errorf("got %+v, want %s %s", binary, want.name, want.version)
		}
		if strings.Contains(binary.Version, "-dev") {
			t.Errorf("got a development version: %+v", binary)
		}
	}
}
