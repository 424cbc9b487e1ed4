package kube

import (
	"context"
	"os"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
)

// Handover is what somebody else needs to reach a cluster as the provider does. All but URL, CA and Insecure are secrets.
type Handover struct {
	URL      string
	CA       []byte
	Insecure bool
	// Token, or Certificate and Key in PEM.
	Token            string
	Certificate, Key []byte
}

// Reach is how the provider reaches the cluster: a handover without credentials, for which no plugin is run.
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

// Handover reads the credentials of the connection. A plugin is run once: what it prints may end before long. What cannot be handed on is a
// *[connection.ConfigError]: a proxy, another name of the server, and credentials of other kinds.
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
	refuse := func(field, message string) (Handover, error) {
		return Handover{}, &connection.ConfigError{Field: field, Message: message}
	}
	switch {
	case c.connection.ProxyURL != "":
		return refuse("proxy_url", "The connection goes through a proxy, which cannot be handed on to another cluster.")
	case config.ServerName != "":
		return refuse("tls_server_name", "The connection expects another name in the server's certificate, which cannot be handed on to another cluster.")
	case config.ExecProvider != nil:
		found, err := credential.Resolve(ctx, config)
		if err != nil {
			return Handover{}, err
		}
		out.Token, out.Certificate, out.Key = found.Token, found.Certificate, found.Key
	case config.BearerTokenFile != "":
		text, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return refuse("", "The file with the token cannot be read.")
		}
		out.Token = strings.TrimSpace(string(text))
	}
	if out.Token == "" && len(out.Certificate) == 0 {
		return refuse("", "The connection has neither a token nor a client certificate, and nothing else can be handed on to another cluster.")
	}
	return out, nil
}
