package commands

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseUp(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	f, err := parseUp(nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := f.options; o.Members != 2 || !o.Hub || !o.Workloads || f.foreground || !filepath.IsAbs(o.Dir) {
		t.Errorf("defaults: %+v", f)
	}
	f, err = parseUp([]string{"-members", "3", "-hub=false", "-workloads=false", "-foreground", "-dir", "x"})
	if err != nil {
		t.Fatal(err)
	}
	if o := f.options; o.Members != 3 || o.Hub || o.Workloads || !f.foreground || !filepath.IsAbs(o.Dir) {
		t.Errorf("given: %+v", f)
	}
}

func TestWrongArguments(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, test := range []struct{ args, want string }{
		{"up -members -1", "-members -1"},
		{"up -members 1000", "between 0 and 100"},
		{"up -members 0 -hub=false", "nothing to start"},
		{"up extra", "extra"},
		{"stop-member", "takes 1 arguments"},
		{"start-member member-1", "no test clusters run"},
		{"status", "no test clusters run"},
		{"explode", "unknown command"},
	} {
		err := Execute(strings.Fields(test.args))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.args, err, test.want)
		}
	}
	if err := Execute(nil); !errors.Is(err, errUsage) {
		t.Errorf("no command: %v", err)
	}
	if err := Execute([]string{"down"}); err != nil {
		t.Errorf("down with nothing to stop: %v", err)
	}
}
