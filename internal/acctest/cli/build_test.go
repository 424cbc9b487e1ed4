package cli

import (
	"os"
	"strings"
	"testing"
)

// TestBuilt builds the real programs, or finds them in the cache.
func TestBuilt(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a cold build takes minutes: set TF_ACC=1")
	}
	binaries, err := All(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ name, version, env string }{
		{TerraformName, "1.16.", TerraformEnv},
		{TerraformName, "1.11.", Terraform111Env},
		{OpenTofuName, "1.12.", OpenTofuEnv},
	} {
		binary := binaries[i]
		if binary.Name != want.name || os.Getenv(want.env) == "" && !strings.HasPrefix(binary.Version, want.version) {
			t.Errorf("got %+v, want %s %s", binary, want.name, want.version)
		}
		if strings.Contains(binary.Version, "-dev") {
			t.Errorf("a development version: %+v", binary)
		}
	}
}
