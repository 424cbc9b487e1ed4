package protocol

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// An invalid provider configuration is an error at the wrong argument, before any connection is made.
func TestProviderConfiguration(t *testing.T) {
	t.Parallel()
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
		"kubeadmiral without a hub":       {`engine = "kubeadmiral"` + "\n" + `members = { "member-1" = { ` + kubeconfig + ` } }`, `requires\s+a\s+KubeAdmiral\s+host\s+cluster`},
		"unknown engine":                  {`engine = "karmada"`, `direct`},
		"which context":                   {`members = { member-1 = { ` + kubeconfig + `, context = "member-1" } }`, `(?s)members\["member-1"\]\.config_context:.*contexts.*not\s+set.*hub, .*member-1`},
		"no credentials":                  {`members = { member-1 = { host = "https://127.0.0.1:1", username = "me", password = "planted-secret" } }`, `(?s)member\s+"member-1".*no\s+credentials`},
		"token of two lines":              {`members = { member-1 = { host = "https://127.0.0.1:1", token = "planted\nsecret" } }`, `(?s)members\["member-1"\]\.token:.*on\s+one\s+line`},
		"user that is not there":          {fmt.Sprintf(`members = { member-1 = { config_path = %q } }`, userless), `(?s)member\s+"member-1".*user\s+"nobody"`},
		"malformed certificate":           {`members = { member-1 = { host = "https://127.0.0.1:1", cluster_ca_certificate = "no PEM" } }`, `(?s)member\s+"member-1"`},
		"invalid member name":             {`members = { "Member_1" = { ` + kubeconfig + ` } }`, `Member_1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := ""
			if !strings.Contains(c.body, "engine") {
				engine = "engine = \"direct\"\n"
			}
			got := New().Plan(t.Context(), "provider \"fleet\" {\n"+engine+c.body+"\n}\nresource \"fleet_member_cluster\" \"m\" { name = \"member-1\" }\n")
			rejects(t, got, c.want)
			if strings.Contains(got.String(), "planted") {
				t.Errorf("the error prints the credentials:\n%s", got)
			}
		})
	}
}

func TestMemberClusterValidation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"name too long": {`name = "a123456789-123456789-123456789-123456789-1234567890"`, `at most 50`},
		"label":         {"name = \"member-1\"\nlabels = { \"a b\" = \"c\" }", `label\s+key\s+"a b"\s+is\s+not\s+valid`},
		"effect":        {"name = \"member-1\"\ntaints = [{key=\"a\",effect=\"NoExecute\"}]", `NoSchedule`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, configured(t, "resource \"fleet_member_cluster\" \"one\" {\n"+c.body+"\n}\n"), c.want)
		})
	}
}

func TestPlacementBadInput(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: bad-input}\n")
	selector := "resource_selectors = [{ group = \"\", version = \"v1\", kind = \"Namespace\", name = \"bad-input\" }]\n"
	for name, c := range map[string]struct{ body, want string }{
		"unknown cluster": {selector + `policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-9"] }`,
			`(?s)no\s+connection\s+to\s+the\s+member\s+"member-9"`},
		"selector that matches nothing": {`resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "no-such" }]`,
			`selects\s+no\s+object,`},
		"unknown kind":       {`resource_selectors = [{ group = "example.org", version = "v1", kind = "Nonesuch", name = "x" }]`, `Nonesuch`},
		"reserved namespace": {`resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "kube-system" }]`, `kube-system`},
		"name and labels": {`resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "a", label_selector = { match_labels = { a = "b" } } }]`,
			`(?s)name.*label_selector|label_selector.*name`},
		"PickFixed with affinity": {selector + `policy = { placement_type = "PickFixed", cluster_names = ["member-1"], affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [] } } } }`, `affinity`},
		"PickN without number":    {selector + `policy = { placement_type = "PickN" }`, `number_of_clusters`},
		"force without SSA":       {selector + `strategy = { apply_strategy = { server_side_apply_config = { force = true } } }`, `server_side_apply_config`},
		"percentage":              {selector + `strategy = { rolling_update = { max_unavailable = "120%" } }`, `"0%"\s+to\s+"100%"`},
		"invalid manifest":        {`manifests = { "a.yaml" = "kind: [" }`, `a\.yaml`},
		"nothing":                 {``, `Nothing\s+to\s+place`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, configured(t, "resource \"fleet_crp\" \"p\" {\nname = \"bad\"\n"+c.body+"\n}\n"), c.want)
		})
	}
}

func TestEnvelopeValidation(t *testing.T) {
	t.Parallel()
	manifest := func(text string) string { return "manifests = { \"x.yaml\" = <<-YAML\n" + text + "\n    YAML\n  }" }
	for name, c := range map[string]struct{ body, want string }{
		"invalid YAML":      {manifest("apiVersion: v1\nkind: [ConfigMap"), `x\.yaml`},
		"no kind":           {manifest("apiVersion: v1\nmetadata: {name: a}"), `kind`},
		"no name":           {manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {}"), `name`},
		"other namespace":   {manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: elsewhere}"), `elsewhere`},
		"several documents": {manifest("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}"), `(one|document)`},
		"duplicate": {`manifests = {
    "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: app}}"
    "b.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: app}}"
  }`, `(?s)a\.yaml.*b\.yaml|b\.yaml.*a\.yaml`},
		"illegal key": {`manifests = { "a b" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" }`, `a b`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, configured(t, "resource \"fleet_envelope_configmap\" \"e\" {\n  name = \"e\"\n  namespace = \"app\"\n  "+c.body+"\n}\n"), c.want)
		})
	}
}

// Without a hub, a separate envelope has no cluster to be stored on.
func TestEnvelopeWithoutHub(t *testing.T) {
	t.Parallel()
	refused(t, withoutHub(t)+`
resource "fleet_envelope_configmap" "e" {
  name      = "e"
  namespace = "app"
  manifests = { "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" }
}
`, `(?s)no\s+hub.*manifests`)
}

// Two resources with one name are an error before anything is applied.
func TestTwoOfOneName(t *testing.T) {
	t.Parallel()
	const alike = `
resource "fleet_crp" "%s" {
  name      = "twice"
  manifests = { "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: twice, namespace: default}}" }
}
`
	refused(t, configured(t, fmt.Sprintf(alike+alike, "p", "q")), "Two resources for one placement")
}
