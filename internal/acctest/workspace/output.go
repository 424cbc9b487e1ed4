package workspace

import (
	"strings"
	"testing"
)

// Must runs Terraform and fails the test if the run fails.
func Must(t *testing.T, w *Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, append(args, "-no-color")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// Contains checks that the output contains the texts. It ignores white space, because Terraform wraps its output.
func Contains(t *testing.T, out string, texts ...string) {
	t.Helper()
	flat := Squeeze(out)
	for _, text := range texts {
		if !strings.Contains(flat, Squeeze(text)) {
			t.Errorf("missing %q in:\n%s", text, out)
		}
	}
}

// Squeeze returns a text in one line, without Terraform's frames.
func Squeeze(text string) string {
	text = strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
