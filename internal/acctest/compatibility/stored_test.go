package compatibility

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryResourceIsStored checks that the stored states of the newest version have every type of resource. The tests TestStoredReleases write the files.
func TestEveryResourceIsStored(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "v"+Described(t)[0].Name, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for block := range current(t) {
		name, isResource := strings.CutPrefix(block, "resource ")
		if isResource && !strings.Contains(all.String(), `"`+name+`"`) && !strings.Contains(all.String(), `"`+name+`.`) {
			t.Errorf("no file has a state of %s", name)
		}
	}
}
