package connection

import (
	"fmt"
	"strings"
)

// Connection says how to reach one cluster. It is plain data; the arguments are those of the hashicorp/kubernetes provider.
// Nothing is taken from the environment: neither $KUBECONFIG nor ~/.kube/config nor an in-cluster account is ever used.
type Connection struct {
	// ConfigPath is the path of a kubeconfig file; a leading ~ is the home directory.
	ConfigPath string
	// ConfigPaths are kubeconfig files to be merged, the first one to set a value wins. Excludes ConfigPath.
	ConfigPaths []string
	// ConfigContext is the context to use. It may be empty if the files have one context only: the current-context of a file changes with
	// every "kubectl config use-context", and says nothing of which cluster is meant.
	ConfigContext string
	// ConfigContextCluster and ConfigContextAuthInfo replace the context's cluster and user by other entries of the kubeconfig.
	ConfigContextCluster  string
	ConfigContextAuthInfo string

	// Host is the API server's URL, or host:port, which means https.
	Host string
	// Token is a bearer token. White space around it, such as the line end of a file, is no part of it.
	Token string
	// ClientCertificate and ClientKey are PEM text.
	ClientCertificate string
	ClientKey         string
	// ClusterCACertificate is PEM text: the authorities that may sign the API server's certificate.
	ClusterCACertificate string
	// Insecure accepts any certificate from the API server.
	Insecure bool
	// TLSServerName is the name expected in the API server's certificate when it is not the host's.
	TLSServerName string
	// ProxyURL is an http, https or socks5 proxy. When empty, the usual proxy variables of the environment hold.
	ProxyURL string

	// Exec is a command that prints credentials; nil means none.
	Exec *Exec
}

// Exec is a client-go credential plugin: a command that prints an ExecCredential.
type Exec struct {
	// APIVersion is the version of ExecCredential that the command speaks, for instance client.authentication.k8s.io/v1.
	APIVersion string
	Command    string
	Args       []string
	Env        map[string]string
}

// IsZero reports whether nothing at all is set.
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

// GoString is String: %#v must not print credentials either.
func (c Connection) GoString() string { return "connection.Connection(" + c.String() + ")" }

// String names the command only: its arguments and environment may hold credentials.
func (e Exec) String() string { return "command " + e.Command }

// GoString is String, for the same reason.
func (e Exec) GoString() string { return "connection.Exec(" + e.String() + ")" }

func (c Connection) usesKubeconfig() bool { return len(c.paths()) > 0 }

// filesField is the argument that names the kubeconfig files.
func (c Connection) filesField() string {
	if c.ConfigPath == "" && len(c.ConfigPaths) > 0 {
		return "config_paths"
	}
	return "config_path"
}

// paths returns the kubeconfig files in order of precedence, as configured.
func (c Connection) paths() []string {
	var paths []string
	for _, path := range append([]string{c.ConfigPath}, c.ConfigPaths...) {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// withoutUserinfo cuts user:password@ out of a URL, also out of one too malformed to be parsed.
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
