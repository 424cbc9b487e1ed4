package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A configuration that cannot work is told at the argument that is wrong, before anything is dialled.
func TestProviderConfiguration(t *testing.T) {
	clusters.Need(t, fleet.Env)
	malformed := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(malformed, []byte("clusters: [\n  token: planted-secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	userless := filepath.Join(t.TempDir(), "userless")
	if err := os.WriteFile(userless, []byte("{apiVersion: v1, kind: Config, contexts: [{name: c, context: {cluster: c, user: nobody}}], "+
		"clusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	kubeconfig := fmt.Sprintf("config_path = %q", fleet.Env.Kubeconfig)
	for name, c := range map[string]struct{ body, want string }{
		"two ways to authenticate": {
			`members = { member-1 = { host = "https://127.0.0.1:1", token = "planted-secret", exec = { api_version = "client.authentication.k8s.io/v1", command = "true" } } }`,
			`(?s)member\s+"member-1".*(token.*exec|exec.*token)`,
		},
		"credentials beside a kubeconfig": {`members = { member-1 = { ` + kubeconfig + `, token = "planted-secret" } }`, `(?s)member\s+"member-1".*token`},
		"empty connection":                {`members = { member-1 = {} }`, `(?s)member\s+"member-1"`},
		"empty hub":                       {`hub = {}` + "\n" + `members = { member-1 = { ` + kubeconfig + ` } }`, `hub`},
		"malformed kubeconfig":            {fmt.Sprintf(`members = { member-1 = { config_path = %q } }`, malformed), `(?s)member\s+"member-1"`},
		"missing kubeconfig":              {`members = { member-1 = { config_path = "/no/such/file" } }`, `/no/such/file`},
		"unknown context":                 {`members = { member-1 = { ` + kubeconfig + `, config_context = "nowhere" } }`, `(?s)nowhere.*member-1`},
		"no clusters":                     {``, `names\s+no\s+cluster`},
		"engine without a hub":            {`engine = "kubefleet"` + "\n" + `members = { member-1 = { ` + kubeconfig + ` } }`, `Add\s+it\s+as\s+"hub"`},
		"kubeadmiral without a hub":       {`engine = "kubeadmiral"` + "\n" + `members = { "member-1" = { ` + kubeconfig + ` } }`, `drives\s+a\s+host\s+of\s+KubeAdmiral`},
		"unknown engine":                  {`engine = "karmada"`, `direct`},
		"which context":                   {`members = { member-1 = { ` + kubeconfig + `, context = "member-1" } }`, `(?s)members\["member-1"\]\.config_context:.*contexts.*which.*hub, .*member-1`},
		"no credentials":                  {`members = { member-1 = { host = "https://127.0.0.1:1", username = "me", password = "planted-secret" } }`, `(?s)member\s+"member-1".*no\s+credentials`},
		"token of two lines":              {`members = { member-1 = { host = "https://127.0.0.1:1", token = "planted\nsecret" } }`, `(?s)members\["member-1"\]\.token:.*on\s+one\s+line`},
		"user that is not there":          {fmt.Sprintf(`members = { member-1 = { config_path = %q } }`, userless), `(?s)member\s+"member-1".*user\s+"nobody"`},
		"malformed certificate":           {`members = { member-1 = { host = "https://127.0.0.1:1", cluster_ca_certificate = "no PEM" } }`, `(?s)member\s+"member-1"`},
		"invalid member name":             {`members = { "Member_1" = { ` + kubeconfig + ` } }`, `Member_1`},
	} {
		t.Run(name, func(t *testing.T) {
			engine := ""
			if !strings.Contains(c.body, "engine") {
				engine = "engine = \"direct\"\n"
			}
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{{
				Config:      "provider \"fleet\" {\n" + engine + c.body + "\n}\nresource \"fleet_member_cluster\" \"m\" { name = \"member-1\" }\n",
				ExpectError: regexp.MustCompile(c.want),
			}}})
		})
	}
}
