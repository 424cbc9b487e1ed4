package connection

import (
	"fmt"
	"strings"
)

// A Connection has the settings of a connection to one cluster. It is plain data. Its fields have the names of arguments of the
// hashicorp/kubernetes provider. $KUBECONFIG, the default ~/.kube/config and in-cluster accounts are never used.
type Connection struct {
	// ConfigPath is the path of a kubeconfig file. A leading ~ stands for the home directory.
	ConfigPath string
	// ConfigPaths are kubeconfig files that are merged. The first file that sets a value takes precedence. If ConfigPaths is set, ConfigPath must be empty.
	ConfigPaths []string
	// ConfigContext is the context to use. It may be empty if the files have only one context, or if both of the following fields are set. The current-context
	// is not used, because every "kubectl config use-context" changes it.
	ConfigContext string
	// ConfigContextCluster and ConfigContextAuthInfo override the context's cluster and user with other entries of the kubeconfig.
	ConfigContextCluster  string
	ConfigContextAuthInfo string

	// Host is the URL of the API server, or host:port for https.
	Host string
	// Token is a bearer token. Surrounding white space, such as the newline of a file, is removed.
	Token string
	// ClientCertificate and ClientKey are PEM text.
	ClientCertificate string
	ClientKey         string
	// ClusterCACertificate has the CA certificates that verify the API server's certificate, as PEM text.
	ClusterCACertificate string
	// Insecure accepts any certificate from the API server.
	Insecure bool
	// TLSServerName is the expected name in the API server's certificate if it is not the host.
	TLSServerName string
	// ProxyURL is the URL of an http, https or socks5 proxy. If neither ProxyURL nor the kubeconfig sets a proxy, the usual proxy environment variables apply.
	ProxyURL string

	Exec *Exec
}

// Exec is a client-go credential plugin: a command that prints an ExecCredential.
type Exec struct {
	// APIVersion is the ExecCredential version of the command, for example client.authentication.k8s.io/v1.
	APIVersion string
	Command    string
	Args       []string
	Env        map[string]string
}

// IsZero reports whether no argument is set.
func (c Connection) IsZero() bool {
	return !c.usesKubeconfig() && c.Host == "" && c.Token == "" && c.ClientCertificate == "" && c.ClientKey == "" &&
		c.ClusterCACertificate == "" && !c.Insecure && c.TLSServerName == "" && c.ProxyURL == "" && c.Exec == nil &&
		c.ConfigContext == "" && c.ConfigContextCluster == "" && c.ConfigContextAuthInfo == ""
}

// String describes the connection without its credentials.
func (c Connection) String() string {
	switch {
	case c.usesKubeconfig():
		text := "kubeconfig " + strings.Join(c.paths(), ", ")
		if c.ConfigContext != "" {
			text += fmt.Sprintf(", context %q", c.ConfigContext)
		}
		return text
	case c.Host != "":
		return "host " + withoutUserinfo(c.Host)
	default:
		return "empty connection"
	}
}

// GoString keeps credentials out of %#v.
func (c Connection) GoString() string { return "connection.Connection(" + c.String() + ")" }

// String returns only the command, because arguments and environment may contain credentials.
func (e Exec) String() string { return "command " + e.Command }

// GoString keeps credentials out of %#v.
func (e Exec) GoString() string { return "connection.Exec(" + e.String() + ")" }

func (c Connection) usesKubeconfig() bool { return len(c.paths()) > 0 }

func (c Connection) filesField() string {
	if c.ConfigPath == "" && len(c.ConfigPaths) > 0 {
		return "config_paths"
	}
	return "config_path"
}

func (c Connection) paths() []string {
	var paths []string
	for _, path := range append([]string{c.ConfigPath}, c.ConfigPaths...) {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// withoutUserinfo removes user:password@ from a URL, even from one that cannot be parsed.
func withoutUserinfo(raw string) string {
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme, rest = "", raw
	} else {
		scheme += "://"
	}
	authority, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		authority = authority[at+1:]
	}
	if hasPath {
		return scheme + authority + "/" + path
	}
	return scheme + authority
}
