package published

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// engines are the columns of the table.
var engines = []string{"direct", "kubefleet", "kubeadmiral"}

// golden returns the path of the results of an engine.
func golden(t *testing.T, engine string) string {
	t.Helper()
	return filepath.Join(documents.Root(t), "internal", "acctest", "published", "testdata", engine+".golden")
}

// show prints the results of an engine, and compares them with those of its golden file or writes them there.
func show(t *testing.T, engine string, results map[string]string, update bool) {
	t.Helper()
	var lines strings.Builder
	for _, e := range examples {
		for _, s := range e.steps {
			lines.WriteString(s.name + ": " + results[s.name] + "\n")
		}
	}
	t.Logf("%s:\n%s", engine, lines.String())
	if update {
		if err := os.WriteFile(golden(t, engine), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(documents.Read(t, golden(t, engine)), lines.String()); diff != "" {
		t.Errorf("other results than %s (-want +got); make documented-outputs writes them:\n%s", golden(t, engine), diff)
	}
}
