package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	digestedSettings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: web}, data: {color: blue}}"
	digestedSecret   = "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: web}, stringData: {password: %s}}"
)

func TestDigests(t *testing.T) {
	t.Parallel()
	got := Digests(map[string]string{
		"a": digestedSettings + "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}}",
		"b": "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: web}}, {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}]}",
		"c": fmt.Sprintf(digestedSecret, "planted"),
		"d": "{{ not rendered }}",
		"e": "kind: Secret\x00",
	}, nil, nil)
	for name, digest := range got {
		if before, hash := digest, strings.Trim(digest[:min(len(digest), digestLength)], "0123456789abcdef"); hash == "" {
			got[name] = "HASH" + before[digestLength:]
		}
	}
	want := map[string]string{
		"ConfigMap web/settings": "HASH", "Deployment web/web": "HASH", "Namespace web": "HASH", "Widget.example.com w": "HASH",
		"Secret web/db": "HASH (secret values: version 1)", "d": "(not readable)", "e": "(not readable)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDigestsDistinguishContents checks that a digest changes with the content and not with the formatting.
func TestDigestsDistinguishContents(t *testing.T) {
	t.Parallel()
	digest := func(text string) string {
		return Digests(map[string]string{"k": text}, nil, nil)["ConfigMap web/settings"]
	}
	one := digest(digestedSettings)
	if other := digest(strings.Replace(digestedSettings, "blue", "green", 1)); other == one || len(one) != digestLength {
		t.Errorf("%q and %q", one, other)
	}
	if same := digest("# comment\nkind: ConfigMap\napiVersion: v1\ndata: {color: \"blue\"}\nmetadata: {namespace: web, name: settings}\n"); same != one {
		t.Errorf("%q and %q", one, same)
	}
}

// TestDigestsCountSecretValues checks that the digest of a Secret shows that a value has changed, does not depend on the value otherwise, and
// distinguishes the third value from the first.
func TestDigestsCountSecretValues(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(secret string) string{
		"a Secret": func(secret string) string { return secret },
		"a Secret in an envelope": func(secret string) string {
			return "{apiVersion: v1, kind: ConfigMap, metadata: {name: e, namespace: web}, data: {k: '" + secret + "'}}"
		},
		"a Secret among many":            many,
		"a Secret under another key too": func(secret string) string { return secret },
	} {
		var before, digests map[string]string
		hashes := map[string]bool{}
		for i, c := range []struct{ value, want string }{{"x", "1"}, {"x", "1"}, {"z", "2"}, {"z", "2"}, {"x", "3"}} {
			now := map[string]string{"k": wrap(fmt.Sprintf(digestedSecret, c.value))}
			if strings.HasSuffix(name, "too") {
				now = map[string]string{fmt.Sprint("k", i): now["k"]}
			}
			digests = Digests(now, before, digests)
			before = now
			if len(digests) != 1 {
				t.Fatalf("%s: %q", name, digests)
			}
			for _, digest := range digests {
				hash, version, _ := strings.Cut(digest, " (")
				hashes[hash] = true
				if version != "secret values: version "+c.want+")" {
					t.Errorf("%s, %d: %q instead of version %s", name, i, digest, c.want)
				}
			}
		}
		if len(hashes) != 1 {
			t.Errorf("%s: the values show in the hashes %v", name, hashes)
		}
	}
}

// many returns a Secret and others in its namespace.
func many(secret string) string {
	out := []string{secret}
	for i := range maxAlike {
		out = append(out, fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: s%d, namespace: web}}", i))
	}
	return strings.Join(out, "\n---\n")
}

// TestDigestsOfManyObjects checks that many objects of one kind and namespace share a digest, which changes with the content of any.
func TestDigestsOfManyObjects(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"ns": "{apiVersion: v1, kind: Namespace, metadata: {name: web}}"}
	for i := range maxAlike {
		texts[fmt.Sprint(i)] = strings.Replace(digestedSettings, "settings", fmt.Sprintf("settings-%02d", i), 1)
	}
	if got := Digests(texts, nil, nil); len(got) != maxAlike+1 {
		t.Errorf("%d objects have %d digests", maxAlike+1, len(got))
	}
	texts["one more"] = digestedSettings
	got := Digests(texts, nil, nil)
	together := got["ConfigMap web/*"]
	if len(got) != 2 || !strings.HasPrefix(together, "11 objects, ") {
		t.Errorf("%q", got)
	}
	texts["3"] = strings.Replace(texts["3"], "blue", "green", 1)
	if other := Digests(texts, nil, nil)["ConfigMap web/*"]; other == together {
		t.Errorf("%q for both", other)
	}
}
