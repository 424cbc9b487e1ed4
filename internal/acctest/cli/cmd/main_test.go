package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"build"}, {"path"}, {"path", "terraform", "tofu"}, {"run", "tofu"}} {
		err := run(t.Context(), args, t.Output(), t.Output())
		if err == nil || !strings.HasPrefix(err.Error(), "usage: cmd build terraform|terraform-1.11|tofu|") {
			t.Errorf("%q: error %v", args, err)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	for _, args := range [][]string{{"path", "nothing"}, {"build", "nothing"}} {
		var stdout bytes.Buffer
		err := run(t.Context(), args, &stdout, t.Output())
		if err == nil || !strings.Contains(err.Error(), `unknown tool "nothing"`) || stdout.Len() > 0 {
			t.Errorf("%q: error %v, output %q", args, err, stdout.String())
		}
	}
}
