package documents

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

// Every block that is not a source has the name of its output, so that a test compares it.
func TestDocumentedOutputsAreMarked(t *testing.T) { Unmarked(t) }

// TestPathsOfExamples checks that Paths has the README of every example.
func TestPathsOfExamples(t *testing.T) {
	paths := Paths(t)
	err := filepath.WalkDir(filepath.Join(Root(t), "examples"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == "README.md" && !slices.Contains(paths, path) {
			t.Errorf("%s is missing", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
