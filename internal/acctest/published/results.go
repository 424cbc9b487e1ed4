package published

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// engines are the columns of the table.
var engines = []string{"direct", "kubefleet", "kubeadmiral"}

// golden returns the path of the results of an engine.
func golden(t *testing.T, engine string) string {
	t.Helper()
	return filepath.Join(documents.Root(t), "internal", "acctest", "published", "testdata", engine+".golden")
}

// show prints the results of the examples that have run, and compares them with those of the engine's golden file or writes them there.
func show(t *testing.T, engine string, results map[string]string, update bool) {
	t.Helper()
	want := read(t, engine)
	shown := maps.Clone(want)
	maps.Copy(shown, results)
	var lines strings.Builder
	for _, e := range examples {
		for _, s := range e.steps {
			if result := results[s.name]; result != "" {
				t.Logf("%s, %s: %s", s.name, engine, result)
				if !update && result != want[s.name] {
					t.Errorf("%s: the result is %q, and %s has %q: run make documented-outputs", s.name, result, golden(t, engine), want[s.name])
				}
			}
			if result := shown[s.name]; result != "" {
				lines.WriteString(s.name + ": " + result + "\n")
			}
		}
	}
	if update {
		if err := os.WriteFile(golden(t, engine), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the results in an engine's golden file, by name of the step.
func read(t *testing.T, engine string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(documents.Read(t, golden(t, engine))) {
		name, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
		out[name] = result
	}
	return out
}
