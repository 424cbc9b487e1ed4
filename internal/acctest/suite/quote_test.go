package suite

import (
	"slices"
	"testing"
)

func TestSplitFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		" -count=1  -run TestA ":             {"-count=1", "-run", "TestA"},
		`-run 'TestA|TestB$' -v`:             {"-run", "TestA|TestB$", "-v"},
		`-run="Test A"/'"b"' ''`:             {`-run=Test A/"b"`, ""},
		`-run ^Test\w+$`:                     {"-run", `^Test\w+$`},
		"-args 'it is \"quoted\"' -parallel": {"-args", `it is "quoted"`, "-parallel"},
	} {
		if got, err := SplitFlags(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q, %v", text, got, want, err)
		}
	}
	if got, err := SplitFlags("-run 'TestA"); err == nil {
		t.Errorf("a quote that is not closed: %q", got)
	}
}

func TestQuote(t *testing.T) {
	for want, words := range map[string][]string{
		"/a/suite exec": {"/a/suite", "exec"}, "'/a b/suite' exec": {"/a b/suite", "exec"}, `"/it's/suite" exec`: {"/it's/suite", "exec"},
		`'/"a"/suite'`: {`/"a"/suite`},
	} {
		if got, err := quote(words); err != nil || got != want {
			t.Errorf("%q: got %s, want %s, %v", words, got, want, err)
		}
	}
	if got, err := quote([]string{`/it's "a"/suite`}); err == nil {
		t.Errorf("both kinds of quotes: %s", got)
	}
}
