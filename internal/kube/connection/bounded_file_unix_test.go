//go:build unix

package connection

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnboundedFiles checks files that are too large, and files whose read would never return. The error must be returned without opening them.
func TestUnboundedFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxKubeconfig+1<<20); err != nil {
		t.Fatal(err)
	}
	kubeconfig := func(cluster, user string) string {
		return writeFile(t, "config", strings.NewReplacer(
			`server: "https://a.example.com:6443"`, `server: "https://a.example.com:6443", `+cluster, "token: hunter2", user,
		).Replace(oneContext))
	}
	const irregular = " is not a regular file."
	for name, c := range map[string]struct {
		connection Connection
		want       string
	}{
		"a pipe":                {Connection{ConfigPath: pipe}, "kubeconfig " + pipe + irregular},
		"a device":              {Connection{ConfigPath: "/dev/zero"}, "kubeconfig /dev/zero" + irregular},
		"a large file":          {Connection{ConfigPath: large}, "kubeconfig " + large + " has 17 MiB, and at most 16 MiB are read."},
		"the second":            {Connection{ConfigPaths: []string{kubeconfig("", "token: a"), pipe}}, "kubeconfig " + pipe + irregular},
		"a certificate":         {Connection{ConfigPath: kubeconfig("certificate-authority: "+pipe, "token: a")}, ": the file " + pipe + irregular},
		"a client certificate":  {Connection{ConfigPath: kubeconfig("", "client-certificate: "+pipe+", client-key: "+large)}, ": the file " + pipe + irregular},
		"a key":                 {Connection{ConfigPath: kubeconfig("", "client-certificate: /dev/null/a, client-key: "+pipe)}, ": the file " + pipe + irregular},
		"a token":               {Connection{ConfigPath: kubeconfig("", "tokenFile: "+pipe)}, ": the file " + pipe + irregular},
		"a large file of token": {Connection{ConfigPath: kubeconfig("", "tokenFile: "+large)}, ": the file " + large + " has 17 MiB, and at most 1 MiB are read."},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.connection.RESTConfig()
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
