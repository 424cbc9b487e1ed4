package manifest

import (
	"strings"
	"testing"
)

func TestSalted(t *testing.T) {
	t.Parallel()
	const hash, other = "0a1b", "2c3d"
	first := Salted(hash, "")
	if strings.Contains(first, hash) || !SameHash(first, hash) || SameHash(first, other) || len(first) != SaltLength+1+64 {
		t.Errorf("%q", first)
	}
	if second := Salted(hash, ""); second == first || !SameHash(second, hash) {
		t.Errorf("two salts are the same: %q", second)
	}
	if kept := Salted(hash, first); kept != first {
		t.Errorf("%q became %q", first, kept)
	}
	if kept := Salted(hash, hash); SameHash(kept, other) || kept == hash {
		t.Errorf("a bare hash became %q", kept)
	}
	if next := Salted(other, first); SameHash(next, hash) || !SameHash(next, other) {
		t.Errorf("of another content: %q", next)
	}
	if nothing := Salted("", first); nothing != "" || !SameHash("", "") || SameHash(first, "") {
		t.Errorf("of nothing: %q", nothing)
	}
	if got := SaltedIfSecret(Identifier{Version: "v1", Kind: "ConfigMap"}, hash, first); got != hash {
		t.Errorf("a ConfigMap: %q", got)
	}
	if got := SaltedIfSecret(Identifier{Version: "v1", Kind: "Secret"}, hash, first); got != first {
		t.Errorf("a Secret: %q", got)
	}
}
