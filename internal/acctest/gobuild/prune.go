package gobuild

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	// keepOthers is the number of older builds of a program to keep, so that alternating between two branches does not rebuild.
	keepOthers = 2
	// keepRecent protects builds that another process may be about to start.
	keepRecent = time.Hour
	// tempLife is longer than any build. Older temporary folders are from killed processes.
	tempLife = 6 * time.Hour
)

var keyPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// prune removes old builds of the named program. It ignores errors. The caller must hold the program's lock.
func prune(cache, name, current string, now time.Time) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	type build struct {
		path string
		used time.Time
	}
	var builds []build
	for _, entry := range entries {
		path := filepath.Join(cache, entry.Name())
		info, err := entry.Info()
		if err != nil || !entry.IsDir() || path == current {
			continue
		}
		key, ours := strings.CutPrefix(entry.Name(), name+"-")
		switch {
		case ours && keyPattern.MatchString(key):
			builds = append(builds, build{path, info.ModTime()})
		case strings.HasPrefix(entry.Name(), tempPrefix(name)) && now.Sub(info.ModTime()) > tempLife:
			_ = os.RemoveAll(path)
		}
	}
	slices.SortFunc(builds, func(a, b build) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	for i, entry := range builds {
		if i >= keepOthers && now.Sub(entry.used) > keepRecent {
			_ = os.RemoveAll(entry.path)
		}
	}
}

func tempPrefix(name string) string { return ".build-" + name + "-" }
