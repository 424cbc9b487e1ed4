package kubeconfig

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
)

func TestWrite(t *testing.T) {
	server := Server{Name: "hub", URL: "https://127.0.0.1:20000", CA: []byte("ca")}
	var file File
	file.Add("hub", server, User{Pair: pki.Pair{Cert: []byte("cert"), Key: []byte("key")}})
	file.Add("hub-other", server, User{Token: "secret"})
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := file.Write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Y2E=
    server: https://127.0.0.1:20000
  name: hub
contexts:
- context:
    cluster: hub
    user: hub
  name: hub
- context:
    cluster: hub
    user: hub-other
  name: hub-other
current-context: hub
kind: Config
users:
- name: hub
  user:
    client-certificate-data: Y2VydA==
    client-key-data: a2V5
- name: hub-other
  user:
    token: secret
`
	if string(data) != want {
		t.Errorf("got:\n%s", data)
	}
	if err := yaml.UnmarshalStrict(data, &config{}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
