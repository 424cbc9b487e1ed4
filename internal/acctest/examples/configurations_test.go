package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// block is a code block with a configuration.
var block = regexp.MustCompile("(?ms)^(?:```|~~~)(hcl|terraform)\n(.*?)\n(?:```|~~~)$")

// source matches the source of a required provider.
var source = regexp.MustCompile(`source *= *"([^"]+)"`)

// Every configuration in the documents is valid: a whole one, with its own required_providers, as Terraform validates it, and a part of one by its syntax.
// Providers of others are not installed here, so configurations with them are checked by their syntax too.
func TestConfigurations(t *testing.T) {
	binary := fleet.Newest(t)
	syntax := fleet.Open(t, binary, "", "locals {}")
	whole := 0
	for _, path := range documents.Paths(t) {
		for _, found := range block.FindAllStringSubmatch(documents.Read(t, path), -1) {
			text := found[2]
			if err := os.WriteFile(filepath.Join(syntax.Dir, "block.tf"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := syntax.Run(t.Context(), nil, "fmt", "-no-color", "-list=false", "block.tf"); err != nil {
				t.Errorf("%s: %v\n%s\n%s", path, err, out, text)
			}
			sources := source.FindAllStringSubmatch(text, -1)
			if !strings.Contains(text, "required_providers") || len(sources) != 1 {
				continue
			}
			whole++
			must(t, fleet.Open(t, binary, "", text), "validate")
		}
	}
	if whole == 0 {
		t.Error("no document has a whole configuration")
	}
}
