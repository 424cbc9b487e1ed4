package connection

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const sampleKubeconfig = `apiVersion: v1
kind: Config
current-context: first
clusters:
- name: a
  cluster: {server: "https://a.example.com:6443", tls-server-name: a.internal, proxy-url: "http://proxy:3128"}
- name: b
  cluster: {server: "https://b.example.com", insecure-skip-tls-verify: true}
users:
- name: alice
  user: {token: hunter2}
- name: bob
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: IfAvailable}
contexts:
- name: first
  context: {cluster: a, user: alice}
- name: second
  context: {cluster: b, user: bob}
- name: dangling
  context: {cluster: nowhere, user: bob}
`

const oneContext = `apiVersion: v1
kind: Config
clusters:
- name: a
  cluster: {server: "https://a.example.com:6443"}
users:
- name: alice
  user: {token: hunter2}
contexts:
- name: only
  context: {cluster: a, user: alice}
`

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKubeconfig(t *testing.T) {
	path := writeFile(t, "config", sampleKubeconfig)

	config, err := Connection{ConfigPath: path, ConfigContext: "first"}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://a.example.com:6443" || config.BearerToken != "hunter2" || config.ServerName != "a.internal" {
		t.Errorf("first context: %+v", config)
	}

	config, err = Connection{ConfigPath: path, ConfigContext: "second"}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://b.example.com" || !config.Insecure {
		t.Errorf("named context: %+v", config)
	}
	if config.ExecProvider == nil || config.ExecProvider.InteractiveMode != "Never" || !config.ExecProvider.StdinUnavailable {
		t.Errorf("a credential plugin must not wait for a terminal: %+v", config.ExecProvider)
	}
	if want := filepath.Join(filepath.Dir(path), "login"); config.ExecProvider.Command != want {
		t.Errorf("command %q, want it relative to the kubeconfig: %q", config.ExecProvider.Command, want)
	}

	config, err = Connection{ConfigPath: path, ConfigContextCluster: "b", ConfigContextAuthInfo: "alice"}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://b.example.com" || config.BearerToken != "hunter2" {
		t.Errorf("cluster and user replaced: %+v", config)
	}
}

func TestKubeconfigOverrides(t *testing.T) {
	path := writeFile(t, "config", sampleKubeconfig)
	certificate, _ := newCertificate(t, "authority")
	config, err := Connection{
		ConfigPath: path, ConfigContext: "first", Host: "127.0.0.1:8443", ClusterCACertificate: certificate, TLSServerName: "kubernetes", ProxyURL: "socks5://other:1080",
	}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://127.0.0.1:8443" || string(config.CAData) != certificate || config.ServerName != "kubernetes" {
		t.Errorf("%+v", config)
	}
	proxy, err := config.Proxy(&http.Request{})
	if err != nil || proxy.Host != "other:1080" {
		t.Errorf("proxy %v, %v", proxy, err)
	}
	if config.BearerToken != "hunter2" {
		t.Error("the kubeconfig's user is gone")
	}
}

// With only one context, that context is used, regardless of current-context.
func TestOnlyContext(t *testing.T) {
	for _, current := range []string{"", "current-context: only\n", "current-context: gone\n"} {
		config, err := Connection{ConfigPath: writeFile(t, "config", strings.Replace(oneContext, "hunter2", `"hunter2\n"`, 1)+current)}.RESTConfig()
		if err != nil {
			t.Fatal(err)
		}
		if config.Host != "https://a.example.com:6443" || config.BearerToken != "hunter2" {
			t.Errorf("%+v", config)
		}
	}
}

func TestKubeconfigsAreMerged(t *testing.T) {
	users := writeFile(t, "users", "users:\n- name: alice\n  user: {token: first}\n")
	path := writeFile(t, "config", sampleKubeconfig)
	config, err := Connection{ConfigPaths: []string{users, path}, ConfigContext: "first"}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.BearerToken != "first" {
		t.Errorf("the first file to name a user wins, got %q", config.BearerToken)
	}
}

func TestHomeIsExpanded(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.WriteFile(filepath.Join(home, "fleet.yaml"), []byte(sampleKubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Connection{ConfigPath: "~/fleet.yaml", ConfigContext: "first"}).RESTConfig(); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("KUBECONFIG", writeFile(t, "config", sampleKubeconfig))
	t.Setenv("KUBERNETES_MASTER", "http://localhost:8080")
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	for _, connection := range []Connection{{}, {Token: "t"}, {ConfigPath: writeFile(t, "empty", "apiVersion: v1\nkind: Config\n")}} {
		if config, err := connection.RESTConfig(); err == nil {
			t.Errorf("%v leads to %s", connection, config.Host)
		}
	}
}

func TestKubeconfigErrors(t *testing.T) {
	path := writeFile(t, "config", sampleKubeconfig)
	one := writeFile(t, "one", oneContext)
	for name, test := range map[string]struct {
		connection Connection
		field      string
		says       []string
	}{
		"missing":       {Connection{ConfigPath: "/no/such/file"}, "config_path", []string{"/no/such/file", "does not exist"}},
		"one missing":   {Connection{ConfigPaths: []string{path, "/no/such/file"}}, "config_paths", []string{"/no/such/file"}},
		"directory":     {Connection{ConfigPath: t.TempDir()}, "config_path", []string{"cannot be read", "directory"}},
		"not YAML":      {Connection{ConfigPath: writeFile(t, "k", "token: hunter2\n\tx: [")}, "config_path", []string{"not a valid kubeconfig", "line "}},
		"wrong types":   {Connection{ConfigPath: writeFile(t, "k", "apiVersion: v1\nkind: Config\nusers: hunter2\n")}, "config_path", []string{"not a valid kubeconfig"}},
		"another kind":  {Connection{ConfigPath: writeFile(t, "k", "apiVersion: v1\nkind: Secret\ndata: {a: hunter2}\n")}, "config_path", []string{"not a valid"}},
		"empty":         {Connection{ConfigPath: writeFile(t, "k", "")}, "config_path", []string{"no cluster"}},
		"context":       {Connection{ConfigPath: path, ConfigContext: "third"}, "config_context", []string{`"third"`, "dangling, first, second"}},
		"cluster":       {Connection{ConfigPath: path, ConfigContextCluster: "c"}, "config_context_cluster", []string{"a, b"}},
		"user":          {Connection{ConfigPath: path, ConfigContextAuthInfo: "c"}, "config_context_auth_info", []string{"alice, bob"}},
		"dangling":      {Connection{ConfigPath: path, ConfigContext: "dangling"}, "config_path", []string{`"nowhere"`, "a, b"}},
		"which context": {Connection{ConfigPath: path}, "config_context", []string{"has 3 contexts", "dangling, first, second", "current-context is not used"}},
		"of two files":  {Connection{ConfigPaths: []string{one, path}}, "config_context", []string{"has 4 contexts", "dangling, first, only, second"}},
		"only cluster":  {Connection{ConfigPath: path, ConfigContextCluster: "a"}, "config_context", []string{"has 3 contexts"}},
		"no context":    {Connection{ConfigPath: writeFile(t, "k", "clusters:\n- name: a\n  cluster: {server: \"https://a\"}\n")}, "config_path", []string{"no context"}},
		"lost user":     {Connection{ConfigPath: writeFile(t, "k", strings.Replace(sampleKubeconfig, "name: alice", "name: eve", 1)), ConfigContext: "first"}, "config_context", []string{`"first"`, `user "alice"`, "bob, eve"}},
		"one lost user": {Connection{ConfigPath: writeFile(t, "k", strings.Replace(oneContext, "name: alice", "name: eve", 1))}, "config_path", []string{`"only"`, `user "alice"`}},
		"no user":       {Connection{ConfigPath: writeFile(t, "k", strings.Replace(oneContext, ", user: alice", "", 1))}, "config_path", []string{"names no user", "alice"}},
		"anonymous":     {Connection{ConfigPath: writeFile(t, "k", strings.Replace(oneContext, "token: hunter2", "", 1))}, "config_path", []string{`user "alice"`, "no credentials"}},
		"other user":    {Connection{ConfigPath: writeFile(t, "k", strings.Replace(oneContext, "token: hunter2", "as: bob", 1)), ConfigContextAuthInfo: "alice"}, "config_context_auth_info", []string{"no credentials"}},
		"token lines":   {Connection{ConfigPath: writeFile(t, "k", strings.Replace(oneContext, "hunter2", `"hunter2\nhunter2"`, 1))}, "config_path", []string{"line break"}},
		"proxy":         {Connection{ConfigPath: writeFile(t, "k", strings.Replace(sampleKubeconfig, "http://proxy:3128", "x://u:hunter2@p", 1)), ConfigContext: "first"}, "config_path", []string{"proxy-url"}},
		"server":        {Connection{ConfigPath: writeFile(t, "k", strings.Replace(sampleKubeconfig, "https://a.", "https://u:hunter2@a.", 1)), ConfigContext: "first"}, "config_path", []string{"server", "password"}},
		"CA file":       {Connection{ConfigPath: writeFile(t, "k", strings.Replace(sampleKubeconfig, "tls-server-name: a.internal", "certificate-authority: gone.pem", 1)), ConfigContext: "first"}, "config_path", []string{"gone.pem"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.connection.RESTConfig()
			var config *ConfigError
			if !errors.As(err, &config) {
				t.Fatalf("error %v, want a ConfigError", err)
			}
			if config.Field != test.field {
				t.Errorf("field %q, want %q: %s", config.Field, test.field, err)
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q holds a credential", err)
			}
		})
	}
}

// A file is parsed once for all the members in it, and again after it has changed.
func TestKubeconfigIsParsedOnce(t *testing.T) {
	files := kubeconfigFiles{parsed: map[string]*parsedKubeconfig{}}
	path := writeFile(t, "config", sampleKubeconfig)
	load := func() *clientcmdapi.Config {
		t.Helper()
		content, _, err := files.load([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if fresh := load(); fresh == load() {
		t.Error("a file that was written a moment ago may change again with the same time and size")
	}
	age := func(by time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-by)); err != nil {
			t.Fatal(err)
		}
	}
	age(time.Hour)
	first := load()
	if first != load() {
		t.Error("parsed twice")
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(sampleKubeconfig, "hunter2", "hunter3")), 0o600); err != nil {
		t.Fatal(err)
	}
	age(time.Minute)
	if got := load().AuthInfos["alice"].Token; got != "hunter3" {
		t.Errorf("the token is %q after a change", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, bad, err := files.load([]string{path}); err == nil || bad != path {
		t.Errorf("a file that is gone: %q, %v", bad, err)
	}
}
