package acctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At the levels debug and trace, the log has the requests to clusters, and neither secrets nor messages of a credential plugin.
func TestLogHasRequestsAndNoSecrets(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	const planted = "planted-8c1e"
	w := fleet.Open(t, binary, "", `
provider "fleet" {
  engine  = "direct"
  members = {
    member-1 = { config_path = "`+fleet.Env.Kubeconfig+`", config_context = "`+fleet.Env.Members[0]+`" }
    member-2 = {
      host = "https://127.0.0.1:1"
      exec = {
        api_version = "client.authentication.k8s.io/v1"
        command     = "sh"
        args        = ["-c", "echo complaint-5d2b >&2; printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"%s\"}}' $(echo PLANTED-8C1E | tr A-Z a-z)-token"]
      }
    }
  }
}
resource "fleet_crp" "p" {
  name       = "logged"
  manifests  = {
    "ns.yaml"     = "{apiVersion: v1, kind: Namespace, metadata: {name: logged}}"
    "secret.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: logged}, stringData: {password: `+planted+`}}"
  }
}
`)
	fleet.DestroyAtEnd(t, w)
	log := func(level string, args ...string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), level+".log")
		before := w.Env
		w.Env = append(append([]string{}, before...), "TF_LOG="+level, "TF_LOG_PATH="+path)
		must(t, w, args...)
		w.Env = before
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), planted) || strings.Contains(string(text), "complaint-5d2b") {
			t.Errorf("%s: the log contains a secret or a message of a credential plugin", level)
		}
		return string(text)
	}
	debug := log("debug", "apply", "-auto-approve")
	contains(t, debug, "Request to a cluster", "method=GET", "path=/api/v1/namespaces/kube-system", "cluster=member-1", "status=200", "duration_ms=",
		"method=POST", "path=/api/v1/namespaces/logged/secrets", "Preview of a cluster", "placement=logged", "Preview of a placement")
	if trace := log("trace", "plan"); !strings.Contains(trace, "Request to a cluster") {
		t.Error("the trace has no requests")
	}
}
