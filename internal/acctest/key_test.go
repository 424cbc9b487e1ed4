package acctest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// The key that signs a placement's records is only in the private state: not in output, a log, a record or another part of the state.
func TestKeyStaysInPrivateState(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	config := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "p" {
  name      = "signed"
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: signed, namespace: default}, data: {color: red}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
output "phase" { value = fleet_crp.p.phase }
`
	w := fleet.Open(t, fleet.Newest(t), "", config)
	fleet.DestroyAtEnd(t, w)
	log := filepath.Join(w.Dir, "trace.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	out := must(t, w, "apply", "-auto-approve")
	key := signingKey(t, must(t, w, "state", "pull"))
	harness.Rewrite(t, w, strings.Replace(config, "color: red", "color: blue", 1))
	out += must(t, w, "plan", "-out=tfplan") + must(t, w, "show", "-json", "tfplan") + must(t, w, "apply", "tfplan") + must(t, w, "show", "-json")
	if again := signingKey(t, must(t, w, "state", "pull")); string(again) != string(key) {
		t.Error("the update changed the key")
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-signed")
	if err != nil || stored == nil {
		t.Fatalf("read the record: %v", err)
	}
	record, err := stored.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, where := range map[string]string{"the output": out, "the log": string(text), "the record": string(record)} {
		for _, form := range []string{string(key), base64.StdEncoding.EncodeToString(key), hex.EncodeToString(key)} {
			if strings.Contains(where, form) {
				t.Errorf("%s contains the key", name)
			}
		}
	}
}

// signingKey returns the key of the only resource in a state.
func signingKey(t *testing.T, state string) []byte {
	t.Helper()
	var pulled struct {
		Resources []struct {
			Instances []struct{ Private []byte }
		}
	}
	var private map[string][]byte
	var key []byte
	err := json.Unmarshal([]byte(state), &pulled)
	if err == nil {
		err = json.Unmarshal(pulled.Resources[0].Instances[0].Private, &private)
	}
	if err == nil {
		err = json.Unmarshal(private["key"], &key)
	}
	if err != nil || len(key) != 32 {
		t.Fatalf("%d bytes, %v", len(key), err)
	}
	return key
}
