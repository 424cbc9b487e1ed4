package connection

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// A Problem is an error in a Connection that [Connection.Problems] finds.
type Problem struct {
	// Field is the path of the argument in snake_case, for example "token" or "exec.command". It is empty for the connection as a whole.
	Field   string
	Message string
}

type problems []Problem

func (p *problems) add(field, format string, args ...any) {
	*p = append(*p, Problem{Field: field, Message: fmt.Sprintf(format, args...)})
}

// Problems validates the connection offline, without reading any file. The messages contain no credentials.
func (c Connection) Problems() []Problem {
	var found problems
	c.checkTarget(&found)
	c.checkKubeconfigArguments(&found)
	c.checkAuthentication(&found)
	c.checkClientCertificate(&found)
	c.checkServerTrust(&found)
	c.checkURLs(&found)
	c.checkExec(&found)
	if len(found) == 0 && !c.usesKubeconfig() && c.Token == "" && c.ClientCertificate == "" && c.Exec == nil {
		found.add("", "There are no credentials for the host. Set token, client_certificate with client_key, or exec: anonymous requests are not "+
			"supported. Terraform silently drops arguments that the provider does not have, such as username and password.")
	}
	return found
}

func (c Connection) checkTarget(found *problems) {
	if c.usesKubeconfig() || c.Host != "" || c.ConfigContext+c.ConfigContextCluster+c.ConfigContextAuthInfo != "" { // checkKubeconfigArguments reports a missing config_path
		return
	}
	if c.IsZero() {
		found.add("", "The connection is empty. Set config_path or host; neither $KUBECONFIG nor ~/.kube/config is used by itself.")
		return
	}
	found.add("", "Nothing says which cluster to connect to. Set config_path or host.")
}

func (c Connection) checkKubeconfigArguments(found *problems) {
	if c.ConfigPath != "" && len(c.ConfigPaths) > 0 {
		found.add("config_paths", "Both config_path and config_paths are set. Remove one of them.")
	}
	for i, path := range c.ConfigPaths {
		if path == "" {
			found.add("config_paths", "Element %d of config_paths is empty.", i)
		}
	}
	if c.usesKubeconfig() {
		return
	}
	for _, argument := range []struct{ name, value string }{
		{"config_context", c.ConfigContext},
		{"config_context_cluster", c.ConfigContextCluster},
		{"config_context_auth_info", c.ConfigContextAuthInfo},
	} {
		if argument.value != "" {
			found.add(argument.name, "%s selects from a kubeconfig, but no config_path is set.", argument.name)
		}
	}
}

// checkAuthentication rejects a connection with several ways to authenticate, because it would not be clear which one is used. A kubeconfig counts
// as one way: other arguments can override the settings of its cluster, such as host and proxy, but not its credentials.
func (c Connection) checkAuthentication(found *problems) {
	var ways []string
	if c.Token != "" {
		ways = append(ways, "token")
		c.checkToken(found)
	}
	if c.ClientCertificate != "" || c.ClientKey != "" {
		ways = append(ways, "client_certificate")
	}
	if c.Exec != nil {
		ways = append(ways, "exec")
	}
	switch {
	case len(ways) == 0:
	case c.usesKubeconfig():
		found.add(ways[0], "Two ways to authenticate: %s, and the kubeconfig. Remove one of them: either the kubeconfig (and set host), or %s.",
			strings.Join(ways, ", "), strings.Join(ways, ", "))
	case len(ways) > 1:
		found.add(ways[1], "%d ways to authenticate: %s. Keep one of them.", len(ways), strings.Join(ways, ", "))
	}
}

func (c Connection) checkToken(found *problems) {
	switch token := strings.TrimSpace(c.Token); {
	case token == "":
		found.add("token", "token is blank.")
	case strings.ContainsFunc(token, unicode.IsControl):
		found.add("token", "token contains a line break or another control character. Set it to the token alone, on one line.")
	}
}

func (c Connection) checkClientCertificate(found *problems) {
	switch {
	case c.ClientCertificate == "" && c.ClientKey == "":
	case c.ClientKey == "":
		found.add("client_certificate", "client_certificate is set without client_key.")
	case c.ClientCertificate == "":
		found.add("client_key", "client_key is set without client_certificate.")
	case !isPEM(c.ClientCertificate, "CERTIFICATE"):
		found.add("client_certificate", "%s", notPEM("client_certificate", "CERTIFICATE"))
	case !isPEM(c.ClientKey, "PRIVATE KEY"):
		found.add("client_key", "%s", notPEM("client_key", "PRIVATE KEY"))
	default:
		// The error of X509KeyPair mentions formats and types only, never contents.
		if _, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientKey)); err != nil {
			found.add("client_certificate", "client_certificate and client_key do not match: %s.", strings.TrimPrefix(err.Error(), "tls: "))
		}
	}
}

func (c Connection) checkServerTrust(found *problems) {
	if c.ClusterCACertificate == "" {
		return
	}
	if c.Insecure {
		found.add("insecure", "insecure accepts any certificate, so cluster_ca_certificate would have no effect. Remove one of them.")
	}
	switch {
	case !isPEM(c.ClusterCACertificate, "CERTIFICATE"):
		found.add("cluster_ca_certificate", "%s", notPEM("cluster_ca_certificate", "CERTIFICATE"))
	case !x509.NewCertPool().AppendCertsFromPEM([]byte(c.ClusterCACertificate)):
		found.add("cluster_ca_certificate", "cluster_ca_certificate is PEM text, but contains no readable certificate.")
	}
}

func (c Connection) checkURLs(found *problems) {
	if c.Host != "" {
		if message := hostProblem(c.Host); message != "" {
			found.add("host", "%s", message)
		}
	}
	if c.ProxyURL != "" {
		if _, message := parseProxy(c.ProxyURL); message != "" {
			found.add("proxy_url", "%s", message)
		}
	}
}

func (c Connection) checkExec(found *problems) {
	if c.Exec == nil {
		return
	}
	if c.Exec.Command == "" {
		found.add("exec.command", "exec needs the command that prints the credentials.")
	}
	switch {
	case c.Exec.APIVersion == "":
		found.add("exec.api_version", "exec needs an api_version, for instance %s.", execAPIVersions[0])
	case c.Exec.APIVersion != execAPIVersions[0] && c.Exec.APIVersion != execAPIVersions[1]:
		found.add("exec.api_version", "exec.api_version is %q; it must be %s.", c.Exec.APIVersion, strings.Join(execAPIVersions[:], " or "))
	}
}

var execAPIVersions = [...]string{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}

// hostProblem returns why the address of an API server is not valid, or "" if it is valid. A message repeats at most the scheme or the port of the address,
// which may contain a password.
func hostProblem(raw string) string {
	address, err := url.Parse(withScheme(raw))
	switch {
	case err != nil:
		return "host is not a URL. Write it as https://address:port."
	case address.Scheme != "https" && address.Scheme != "http":
		return fmt.Sprintf("host has the scheme %q; it must be https or http.", address.Scheme)
	case address.User != nil:
		return "host must not contain a user or password. Use token, client_certificate or exec."
	case address.Hostname() == "":
		return "host names no server. Write it as https://address:port."
	case address.RawQuery != "" || address.Fragment != "":
		return "host must not have a query or a fragment."
	case address.Port() == "" && strings.HasSuffix(address.Host, ":"):
		return "host ends in a colon, but has no port."
	}
	if port := address.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return fmt.Sprintf("host has the port %s, which is not a port number.", port)
		}
	}
	return ""
}

// withScheme adds https:// to a host without a scheme. Only an explicit http:// means clear text.
func withScheme(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	return "https://" + host
}

// The message of parseProxy is empty for a valid URL, and never repeats the URL, which may contain a password.
func parseProxy(raw string) (*url.URL, string) {
	proxy, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, "proxy_url is not a URL. Write it as http://address:port."
	case proxy.Scheme != "http" && proxy.Scheme != "https" && proxy.Scheme != "socks5" && proxy.Scheme != "socks5h":
		return nil, "proxy_url must begin with http://, https:// or socks5://."
	case proxy.Hostname() == "":
		return nil, "proxy_url names no server. Write it as http://address:port."
	}
	return proxy, ""
}

func isPEM(text, suffix string) bool {
	rest, seen := []byte(text), false
	for {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			return seen
		}
		seen = seen || strings.HasSuffix(block.Type, suffix)
	}
}

func notPEM(field, kind string) string {
	return fmt.Sprintf("%s is not PEM text with a %s block. It takes the text itself, neither a path nor base64: use file(\"...\") for a file "+
		"and base64decode(...) for the fields of a kubeconfig.", field, kind)
}
