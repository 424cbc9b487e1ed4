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
	terraform, err := Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	tofu, err := OpenTofu(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(TerraformEnv) == "" && !strings.HasPrefix(terraform.Version, "1.16.") {
		t.Errorf("Terraform is %+v, want 1.16", terraform)
	}
	if os.Getenv(OpenTofuEnv) == "" && !strings.HasPrefix(tofu.Version, "1.12.") {
		t.Errorf("OpenTofu is %+v, want 1.12", tofu)
	}
	if strings.Contains(terraform.Version+tofu.Version, "-dev") {
		t.Errorf("development versions: %+v, %+v", terraform, tofu)
	}
}
