package compatibility

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the schemas of the version in preparation instead of comparing them")

const updateCommand = "go test ./internal/acctest/compatibility -update"

// stored reads the schemas of a version.
func stored(t *testing.T, version string) Schemas {
	t.Helper()
	text, err := os.ReadFile(schemaFile(version))
	if err != nil {
		t.Fatalf("the schemas of version %s: %v", version, err)
	}
	out, err := Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", schemaFile(version), err)
	}
	return out
}

func schemaFile(version string) string { return filepath.Join("testdata", "v"+version, "schema.txt") }

// TestSchemasOfReleases compares the schemas with those of the last release. No flag and no file silences it: an incompatible change needs a version that may
// have one, and a line in the CHANGELOG.
func TestSchemasOfReleases(t *testing.T) {
	t.Parallel()
	versions, now := Described(t), current(t)
	for _, released := range versions {
		if !released.Released {
			continue
		}
		for _, one := range Breaks(stored(t, released.Name), now) {
			for _, problem := range problemsOf(one, versions[0], released.Name) {
				t.Error(problem)
			}
		}
		return
	}
}

// problemsOf returns the objections to an incompatible change in a version.
func problemsOf(found Break, in Version, since string) []string {
	if in.Released || !allowsBreaks(in.Name, since) {
		return []string{"incompatible with version " + since + ": " + found.String() + " Keep it working, or raise the version in CHANGELOG.md."}
	}
	name := found.Block[strings.LastIndex(found.Block, " ")+1:]
	_, section, _ := strings.Cut(in.Notes, "### Breaking changes")
	section, _, _ = strings.Cut(section, "\n### ")
	if !strings.Contains(section, "`"+name+"`") || !strings.Contains(section, found.Path) {
		return []string{"incompatible with version " + since + ": " + found.String() + " Describe it in CHANGELOG.md, below \"### Breaking changes\", with `" +
			strings.TrimSuffix(name+"` and `"+found.Path, "` and `") + "`."}
	}
	return nil
}

func TestProblemsOf(t *testing.T) {
	t.Parallel()
	found := Break{Block: "resource fleet_x", Path: "a.b", Reason: "was removed"}
	const start = "incompatible with version 0.1.0: resource fleet_x: a.b was removed. "
	for name, c := range map[string]struct {
		in   Version
		want string
	}{
		"a patch version":          {Version{Name: "0.1.1"}, start + "Keep it working, or raise the version in CHANGELOG.md."},
		"after the release":        {Version{Name: "0.2.0", Released: true}, start + "Keep it working, or raise the version in CHANGELOG.md."},
		"a minor version":          {Version{Name: "0.2.0", Notes: "### Added\n`fleet_x` `a.b`"}, start + "Describe it in CHANGELOG.md, below \"### Breaking changes\", with `fleet_x` and `a.b`."},
		"described elsewhere":      {Version{Name: "0.2.0", Notes: "### Breaking changes\n`fleet_x`\n### Added\n`a.b`"}, start + "Describe it in CHANGELOG.md, below \"### Breaking changes\", with `fleet_x` and `a.b`."},
		"a described minor change": {Version{Name: "0.2.0", Notes: "### Breaking changes\n- `fleet_x`: `a.b` no longer exists.\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(problemsOf(found, c.in, "0.1.0"), "\n"); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestSchemas compares the schemas with the stored ones of the newest version in the CHANGELOG, so that a review shows each change of a schema.
func TestSchemas(t *testing.T) {
	t.Parallel()
	newest, now := Described(t)[0], current(t)
	file := schemaFile(newest.Name)
	if *update && !newest.Released {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := stored(t, newest.Name)
	if diff := cmp.Diff(strings.Split(before.String(), "\n"), strings.Split(now.String(), "\n")); diff != "" {
		advice := "run `" + updateCommand + "`"
		if newest.Released {
			advice = "add a heading for the next version to CHANGELOG.md, and " + advice
		}
		t.Errorf("the schemas differ from %s: %s. (-want +got):\n%s", file, advice, diff)
	}
	for _, one := range Breaks(before, now) {
		t.Errorf("incompatible with %s: %s", file, one)
	}
}

// TestText checks that the text of the schemas has everything that the comparison reads.
func TestText(t *testing.T) {
	t.Parallel()
	now := current(t)
	again, err := Parse(now.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(now, again); diff != "" {
		t.Errorf("the text omits properties (-want +got):\n%s", diff)
	}
	for block, want := range map[string]string{
		"resource fleet_crp": "strategy.apply_strategy.when_to_take_over: string; optional; one of Always|IfNoDiff|Never",
	} {
		if !strings.Contains(now.String(), want) {
			t.Errorf("%s: there is no %q", block, want)
		}
	}
}
