package connection

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	certificate, key := newCertificate(t, "client")
	_, otherKey := newCertificate(t, "other")
	exec := func(e Exec) *Exec { return &e }
	good := Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "aws"}

	for name, test := range map[string]struct {
		connection Connection
		want       []string // fields
		says       string
	}{
		"kubeconfig":                {connection: Connection{ConfigPath: "~/.kube/config", ConfigContext: "a"}},
		"kubeconfigs":               {connection: Connection{ConfigPaths: []string{"a", "b"}}},
		"kubeconfig with overrides": {connection: Connection{ConfigPath: "a", Host: "https://h", ClusterCACertificate: certificate, TLSServerName: "n", ProxyURL: "socks5://p:1"}},
		"kubeconfig, insecure":      {connection: Connection{ConfigPath: "a", Insecure: true}},
		"host and token":            {connection: Connection{Host: "https://10.0.0.1:6443", Token: "t", ClusterCACertificate: certificate}},
		"host without scheme":       {connection: Connection{Host: "10.0.0.1:6443", Token: "t"}},
		"host with path":            {connection: Connection{Host: "https://rancher.example.com/k8s/clusters/c-1", Token: "t"}},
		"IPv6 host":                 {connection: Connection{Host: "https://[::1]:6443", Token: "t"}},
		"client certificate":        {connection: Connection{Host: "h", ClientCertificate: certificate, ClientKey: key}},
		"exec":                      {connection: Connection{Host: "h", Exec: &good}},
		"token with a line end":     {connection: Connection{Host: "h", Token: "t\n"}},

		"empty":                      {connection: Connection{}, want: []string{""}, says: "empty"},
		"no target":                  {connection: Connection{Token: "t"}, want: []string{""}, says: "config_path or host"},
		"anonymous":                  {connection: Connection{Host: "http://localhost:8001"}, want: []string{""}, says: "no credentials"},
		"blank token":                {connection: Connection{Host: "h", Token: " \n"}, want: []string{"token"}, says: "blank"},
		"token of two lines":         {connection: Connection{Host: "h", Token: "hunter2\nhunter2"}, want: []string{"token"}, says: "on one line"},
		"both kinds of path":         {connection: Connection{ConfigPath: "a", ConfigPaths: []string{"b"}}, want: []string{"config_paths"}},
		"empty path":                 {connection: Connection{ConfigPaths: []string{"a", ""}}, want: []string{"config_paths"}, says: "Element 1"},
		"context without a path":     {connection: Connection{Host: "h", ConfigContext: "c", ConfigContextCluster: "x"}, want: []string{"config_context", "config_context_cluster"}},
		"context and nothing else":   {connection: Connection{ConfigContext: "c"}, want: []string{"config_context"}, says: "no config_path is set"},
		"arguments that are dropped": {connection: Connection{Host: "https://h"}, want: []string{""}, says: "username and password"},
		"token and kubeconfig":       {connection: Connection{ConfigPath: "a", Token: "t"}, want: []string{"token"}, says: "Remove one"},
		"exec and kubeconfig":        {connection: Connection{ConfigPath: "a", Exec: &good}, want: []string{"exec"}, says: "Remove one"},
		"certificate and kubeconfig": {connection: Connection{ConfigPath: "a", ClientCertificate: certificate, ClientKey: key}, want: []string{"client_certificate"}},
		"token and exec":             {connection: Connection{Host: "h", Token: "t", Exec: &good}, want: []string{"exec"}, says: "token, exec"},
		"token and certificate":      {connection: Connection{Host: "h", Token: "t", ClientCertificate: certificate, ClientKey: key}, want: []string{"client_certificate"}},
		"exec and certificate":       {connection: Connection{Host: "h", Exec: &good, ClientCertificate: certificate, ClientKey: key}, want: []string{"exec"}},
		"certificate without key":    {connection: Connection{Host: "h", ClientCertificate: certificate}, want: []string{"client_certificate"}},
		"key without certificate":    {connection: Connection{Host: "h", ClientKey: key}, want: []string{"client_key"}},
		"certificate is no PEM":      {connection: Connection{Host: "h", ClientCertificate: "LS0tLS1CRUdJTg==", ClientKey: key}, want: []string{"client_certificate"}, says: "base64decode"},
		"key is no PEM":              {connection: Connection{Host: "h", ClientCertificate: certificate, ClientKey: "/etc/key.pem"}, want: []string{"client_key"}, says: "file("},
		"key of another certificate": {connection: Connection{Host: "h", ClientCertificate: certificate, ClientKey: otherKey}, want: []string{"client_certificate"}, says: "do not match"},
		"authority is no PEM":        {connection: Connection{Host: "h", ClusterCACertificate: "x"}, want: []string{"cluster_ca_certificate"}},
		"authority is a key":         {connection: Connection{Host: "h", ClusterCACertificate: key}, want: []string{"cluster_ca_certificate"}},
		"authority is damaged":       {connection: Connection{Host: "h", ClusterCACertificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, want: []string{"cluster_ca_certificate"}},
		"insecure with an authority": {connection: Connection{Host: "h", Insecure: true, ClusterCACertificate: certificate}, want: []string{"insecure"}},
		"host with spaces":           {connection: Connection{Host: "https://a b"}, want: []string{"host"}},
		"host with another scheme":   {connection: Connection{Host: "ftp://a"}, want: []string{"host"}, says: `"ftp"`},
		"host with a password":       {connection: Connection{Host: "https://u:hunter2@a"}, want: []string{"host"}},
		"host with a query":          {connection: Connection{Host: "https://a?b=c"}, want: []string{"host"}},
		"host with a bad port":       {connection: Connection{Host: "https://a:99999"}, want: []string{"host"}},
		"host with an empty port":    {connection: Connection{Host: "https://a:"}, want: []string{"host"}},
		"host without a name":        {connection: Connection{Host: "https://:6443"}, want: []string{"host"}},
		"proxy without scheme":       {connection: Connection{Host: "h", ProxyURL: "proxy.example.com"}, want: []string{"proxy_url"}},
		"proxy with odd password":    {connection: Connection{Host: "h", ProxyURL: "http://u:hunter2%zz@p"}, want: []string{"proxy_url"}},
		"exec without command":       {connection: Connection{Host: "h", Exec: exec(Exec{APIVersion: good.APIVersion})}, want: []string{"exec.command"}},
		"exec without version":       {connection: Connection{Host: "h", Exec: exec(Exec{Command: "aws"})}, want: []string{"exec.api_version"}},
		"exec with an old version":   {connection: Connection{Host: "h", Exec: exec(Exec{Command: "aws", APIVersion: "client.authentication.k8s.io/v1alpha1"})}, want: []string{"exec.api_version"}},
	} {
		t.Run(name, func(t *testing.T) {
			var fields []string
			var text strings.Builder
			for _, problem := range test.connection.Problems() {
				fields = append(fields, problem.Field)
				fmt.Fprintln(&text, problem.Message)
			}
			if diff := cmp.Diff(test.want, fields); diff != "" {
				t.Fatalf("fields (-want +got):\n%s%s", diff, text.String())
			}
			if !strings.Contains(text.String(), test.says) {
				t.Errorf("message %q does not say %q", text.String(), test.says)
			}
			if strings.Contains(text.String(), "hunter2") || strings.Contains(text.String(), "BEGIN") {
				t.Errorf("message holds credentials: %s", text.String())
			}
		})
	}
}

func TestConnectionPrintsNoCredentials(t *testing.T) {
	connection := Connection{
		Host: "https://u:hunter2@example.com/x", Token: "hunter2", ClientKey: "hunter2", ProxyURL: "http://u:hunter2@p",
		Exec: &Exec{Command: "get-token", Args: []string{"hunter2"}, Env: map[string]string{"A": "hunter2"}},
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, connection); strings.Contains(text, "hunter2") || !strings.Contains(text, "example.com/x") {
			t.Errorf("%s: %s", format, text)
		}
		if text := fmt.Sprintf(format, connection.Exec); strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s", format, text)
		}
	}
	if text := (Connection{ConfigPath: "~/a", ConfigContext: "c", Host: "h"}).String(); text != `kubeconfig ~/a, context "c"` {
		t.Error(text)
	}
	for input, want := range map[string]string{
		"https://a:b@c/d": "https://c/d", "a:b@c": "c", "https://a:b@c@d:1": "https://d:1", "https://c/d@e": "https://c/d@e", "": "",
	} {
		if got := withoutUserinfo(input); got != want {
			t.Errorf("withoutUserinfo(%q) = %q, want %q", input, got, want)
		}
	}
}

func TestExplicitConnection(t *testing.T) {
	certificate, key := newCertificate(t, "client")
	config, err := Connection{
		Host: "10.0.0.1:6443", ClientCertificate: certificate, ClientKey: key, ClusterCACertificate: certificate,
		TLSServerName: "kubernetes", ProxyURL: "http://proxy:3128",
	}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://10.0.0.1:6443" || string(config.CertData) != certificate || string(config.KeyData) != key ||
		string(config.CAData) != certificate || config.ServerName != "kubernetes" {
		t.Errorf("%+v", config)
	}
	if proxy, err := config.Proxy(&http.Request{}); err != nil || proxy.Host != "proxy:3128" {
		t.Errorf("proxy %v, %v", proxy, err)
	}

	exec := Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "aws", Args: []string{"eks"}, Env: map[string]string{"B": "2", "A": "1"}}
	config, err = Connection{Host: "h", Insecure: true, Exec: &exec}.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	if provider := config.ExecProvider; provider.Command != "aws" || provider.Args[0] != "eks" || provider.Env[0].Name != "A" || provider.Env[1].Value != "2" ||
		provider.InteractiveMode != "Never" || !config.Insecure {
		t.Errorf("%+v", provider)
	}

	var problem *ConfigError
	if _, err = (Connection{Host: "h", Token: "t", Exec: &exec}).RESTConfig(); !errors.As(err, &problem) || problem.Field != "exec" {
		t.Errorf("a connection with a problem: %v", err)
	}
}

func FuzzProblemsKeepSecrets(f *testing.F) {
	f.Add("https://", "@host", "http://")
	f.Add("", "%zz@h:1/", "socks5://")
	f.Fuzz(func(t *testing.T, before, after, proxy string) {
		const secret = "hunter2hunter2"
		connection := Connection{Host: before + "u:" + secret + after, ProxyURL: proxy + "u:" + secret + after}
		for _, problem := range connection.Problems() {
			if strings.Contains(problem.Message, secret) {
				t.Errorf("%s: %s", problem.Field, problem.Message)
			}
		}
	})
}
