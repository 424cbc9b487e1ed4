package kube

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// A proxy cannot be handed over, whether the connection or the cluster of its kubeconfig has it. A proxy of the environment does not count.
func TestHandoverOfProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://environment.example.com:3128")
	write := func(kubeconfig string) string {
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, []byte(kubeconfig), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := kubeconfigTo("api.example.com")
	proxied := strings.Replace(plain, "server:", "proxy-url: 'http://proxy.example.com:3128', server:", 1)
	for name, test := range map[string]struct {
		connection connection.Connection
		fails      bool
	}{
		"none":         {connection.Connection{ConfigPath: write(plain)}, false},
		"argument":     {connection.Connection{ConfigPath: write(plain), ProxyURL: "http://proxy.example.com:3128"}, true},
		"without file": {connection.Connection{Host: "api.example.com", Token: "t", ProxyURL: "http://proxy.example.com:3128"}, true},
		"kubeconfig":   {connection.Connection{ConfigPath: write(proxied)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := NewCluster("m", test.connection, Options{}, nil).Handover(t.Context())
			var problem *connection.ConfigError
			switch {
			case test.fails && (!errors.As(err, &problem) || problem.Field != "proxy_url"):
				t.Errorf("%v", err)
			case !test.fails && (err != nil || given.Token != "t"):
				t.Errorf("%v, a token of %d bytes", err, len(given.Token))
			}
		})
	}
}
