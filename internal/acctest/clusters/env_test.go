package clusters

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const kindConfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", certificate-authority: ca.crt}}]
users: [{name: u, user: {token: t}}]
contexts:
- {name: kind-hub, context: {cluster: c, user: u}}
- {name: kind-member-1, context: {cluster: c, user: u}}
`

// Existing clusters have plain names for the tests, even if kind named them. Too few clusters and no clusters are different errors.
func TestGivenClusters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	for name, text := range map[string]string{"kubeconfig": kindConfig, "ca.crt": "-"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env, err := useExisting(t.Context(), path, Options{Members: 1})
	if err != nil {
		t.Fatal(err)
	}
	if env.Hub != "hub" || env.Members[0] != "member-1" || !env.Has("hub") || !env.Has("member-1") || env.CanStopMembers() {
		t.Errorf("%+v", env)
	}
	config, err := env.RESTConfig("member-1")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(path), "ca.crt"); config.CAFile != want {
		t.Errorf("CA file %s, want %s", config.CAFile, want)
	}
	if err := env.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(env.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy of the kubeconfig still exists: %v", err)
	}
	if _, err := useExisting(t.Context(), path, Options{Members: 2}); !errors.Is(err, ErrTooFew) {
		t.Errorf("one member where two are needed: %v", err)
	}
	if err := os.WriteFile(path, []byte("{apiVersion: v1, kind: Config}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := useExisting(t.Context(), path, Options{Members: 2}); err == nil || errors.Is(err, ErrTooFew) {
		t.Errorf("no clusters at all: %v", err)
	}
}
