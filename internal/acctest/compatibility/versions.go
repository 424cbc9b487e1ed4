package compatibility

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// Version is a version of the provider that CHANGELOG.md describes.
type Version struct {
	// Name has no leading v: "0.1.0".
	Name string
	// Released is false for the version in preparation.
	Released bool
	// Notes is the text below the heading.
	Notes string
}

// StoredBy returns the path of the file with the states and records that the version has stored with an engine. The path is relative to the folder of another
// package of acctest.
func (v Version) StoredBy(engine string) string {
	return filepath.Join("..", "compatibility", "testdata", "v"+v.Name, engine+".json")
}

// heading is the heading of a version, with the date of its release or with "Unreleased".
var heading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d|Unreleased)\)$`)

// Described returns the versions that CHANGELOG.md describes, the newest first.
func Described(t *testing.T) []Version {
	t.Helper()
	out, err := Versions(documents.Read(t, filepath.Join(documents.Root(t), "CHANGELOG.md")))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Versions returns the versions in the text of the CHANGELOG, the newest first. Only the newest may be unreleased.
func Versions(changelog string) ([]Version, error) {
	found := heading.FindAllStringSubmatchIndex(changelog, -1)
	if len(found) == 0 || len(found) != strings.Count(changelog, "\n## ") {
		return nil, fmt.Errorf(`a heading of the CHANGELOG is not "## X.Y.Z (YYYY-MM-DD)" or "## X.Y.Z (Unreleased)"`)
	}
	var out []Version
	for i, at := range found {
		end := len(changelog)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		one := Version{Name: changelog[at[2]:at[3]], Released: changelog[at[4]:at[5]] != "Unreleased", Notes: changelog[at[1]:end]}
		if i > 0 && !one.Released {
			return nil, fmt.Errorf("version %s is unreleased, and version %s is newer", one.Name, out[i-1].Name)
		}
		out = append(out, one)
	}
	return out, nil
}

// allowsBreaks reports whether a version may have incompatible changes since an earlier one: if their major versions differ or, before version 1.0.0, their
// minor versions.
func allowsBreaks(version, since string) bool {
	major, rest, _ := strings.Cut(version, ".")
	otherMajor, otherRest, _ := strings.Cut(since, ".")
	minor, _, _ := strings.Cut(rest, ".")
	otherMinor, _, _ := strings.Cut(otherRest, ".")
	return major != otherMajor || major == "0" && minor != otherMinor
}
