package kube

import (
	"context"
	"os"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
)

// A Handover has the settings with which another program can connect to a cluster with the provider's account. All fields except URL, CA and Insecure are
// secret.
type Handover struct {
	URL      string
	CA       []byte
	Insecure bool
	// Token is a bearer token. Certificate and Key are PEM. [Cluster.Handover] sets the token, the certificate with its key, or both.
	Token            string
	Certificate, Key []byte
}

// Reach returns the URL, CA and Insecure of the connection. The fields for credentials are empty, and Reach does not run a credential plugin.
func (c *Cluster) Reach() (Handover, error) {
	config, err := c.connection.RESTConfig()
	if err != nil {
		return Handover{}, err
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return Handover{}, &connection.ConfigError{Message: err.Error()}
	}
	return Handover{URL: config.Host, CA: config.CAData, Insecure: config.Insecure}, nil
}

// Handover returns the settings of the connection, with its credentials. It may run a credential plugin. Credentials of a plugin may expire soon. Handover
// returns a *[connection.ConfigError] for a connection with a proxy or another TLS server name, for one with neither a token nor a client certificate, and
// if a file cannot be read.
func (c *Cluster) Handover(ctx context.Context) (Handover, error) {
	config, err := c.connection.RESTConfig()
	if err != nil {
		return Handover{}, err
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return Handover{}, &connection.ConfigError{Message: err.Error()}
	}
	out := Handover{
		URL: config.Host, CA: config.CAData, Insecure: config.Insecure, Token: config.BearerToken, Certificate: config.CertData, Key: config.KeyData,
	}
	fail := func(field, message string) (Handover, error) {
		return Handover{}, &connection.ConfigError{Field: field, Message: message}
	}
	switch {
	case config.Proxy != nil: // set by the connection or its kubeconfig, not by the environment
		return fail("proxy_url", "The connection uses a proxy, which cannot be passed to another cluster.")
	case config.ServerName != "":
		return fail("tls_server_name", "The connection expects another name in the server's certificate, which cannot be passed to another cluster.")
	case config.ExecProvider != nil:
		found, err := credential.Resolve(ctx, config)
		if err != nil {
			return Handover{}, err
		}
		out.Token, out.Certificate, out.Key = found.Token, found.Certificate, found.Key
	case config.BearerTokenFile != "":
		text, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return fail("", "The file with the token cannot be read.")
		}
		out.Token = strings.TrimSpace(string(text))
	}
	if out.Token == "" && len(out.Certificate) == 0 {
		return fail("", "The connection has neither a token nor a client certificate, and nothing else can be passed to another cluster.")
	}
	return out, nil
}
