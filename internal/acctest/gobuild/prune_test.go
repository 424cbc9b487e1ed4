package gobuild

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	cache, now := t.TempDir(), time.Now()
	ages := map[string]time.Duration{
		"tool-0000000000000000":       30 * 24 * time.Hour, // current
		"tool-1111111111111111":       10 * time.Minute,
		"tool-2222222222222222":       30 * time.Minute,
		"tool-3333333333333333":       40 * time.Minute, // third, but recent
		"tool-4444444444444444":       2 * time.Hour,
		"tool-5555555555555555":       30 * 24 * time.Hour,
		"tool-more-5555555555555555":  30 * 24 * time.Hour, // another program
		"other-5555555555555555":      30 * 24 * time.Hour,
		tempPrefix("tool") + "1":      7 * time.Hour,
		tempPrefix("tool") + "2":      time.Hour,
		tempPrefix("tool-more") + "1": time.Hour,
	}
	for name, age := range ages {
		path := filepath.Join(cache, name)
		write(t, filepath.Join(path, "tool"), "x")
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(cache, "tool.lock"), "")

	prune(cache, "tool", filepath.Join(cache, "tool-0000000000000000"), now)

	gone := []string{"tool-4444444444444444", "tool-5555555555555555", tempPrefix("tool") + "1"}
	for name := range ages {
		_, err := os.Stat(filepath.Join(cache, name))
		if removed := err != nil; removed != slices.Contains(gone, name) {
			t.Errorf("%s: removed %v", name, removed)
		}
	}
	if _, err := os.Stat(filepath.Join(cache, "tool.lock")); err != nil {
		t.Error(err)
	}
}
