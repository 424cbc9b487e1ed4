package connection

import (
	"net/http"
	"slices"
	"strings"
	"unicode"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// RESTConfig reads the kubeconfig files, if any are configured, and returns client-go's configuration. It neither connects nor runs a
// credential plugin. Every error is a *ConfigError.
func (c Connection) RESTConfig() (*rest.Config, error) {
	if found := c.Problems(); len(found) > 0 {
		return nil, &ConfigError{Field: found[0].Field, Message: found[0].Message}
	}
	build := c.explicitConfig
	if c.usesKubeconfig() {
		build = c.kubeconfigConfig
	}
	result, err := build()
	if err != nil {
		return nil, err
	}
	result.BearerToken = strings.TrimSpace(result.BearerToken)
	if strings.ContainsFunc(result.BearerToken, unicode.IsControl) {
		return nil, &ConfigError{Field: c.filesField(), Message: "The token of the kubeconfig's user contains a line break or another control " +
			"character. Write it on one line."}
	}
	if result.ExecProvider != nil {
		// Terraform uses the terminal, so a plugin with a prompt would wait forever.
		result.ExecProvider.InteractiveMode = clientcmdapi.NeverExecInteractiveMode
		result.ExecProvider.StdinUnavailable = true
		result.ExecProvider.StdinUnavailableMessage = "a Terraform provider has no terminal"
	}
	return result, nil
}

func (c Connection) explicitConfig() (*rest.Config, error) {
	config := &rest.Config{
		Host:        withScheme(c.Host),
		BearerToken: strings.TrimSpace(c.Token),
		TLSClientConfig: rest.TLSClientConfig{
			Insecure:   c.Insecure,
			ServerName: c.TLSServerName,
			CAData:     []byte(c.ClusterCACertificate),
			CertData:   []byte(c.ClientCertificate),
			KeyData:    []byte(c.ClientKey),
		},
	}
	if c.ProxyURL != "" {
		proxy, message := parseProxy(c.ProxyURL)
		if message != "" {
			return nil, &ConfigError{Field: "proxy_url", Message: message}
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	if c.Exec != nil {
		config.ExecProvider = c.Exec.provider()
	}
	return config, nil
}

func (e Exec) provider() *clientcmdapi.ExecConfig {
	provider := &clientcmdapi.ExecConfig{APIVersion: e.APIVersion, Command: e.Command, Args: slices.Clone(e.Args)}
	for name, value := range e.Env {
		provider.Env = append(provider.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
	}
	// Sort the variables, because equal configurations share one plugin, and the order of a map is random.
	slices.SortFunc(provider.Env, func(a, b clientcmdapi.ExecEnvVar) int { return strings.Compare(a.Name, b.Name) })
	return provider
}

func (c Connection) overrides(context string) *clientcmd.ConfigOverrides {
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: context,
		Context:        clientcmdapi.Context{Cluster: c.ConfigContextCluster, AuthInfo: c.ConfigContextAuthInfo},
		ClusterInfo: clientcmdapi.Cluster{
			InsecureSkipTLSVerify:    c.Insecure,
			CertificateAuthorityData: []byte(c.ClusterCACertificate),
			TLSServerName:            c.TLSServerName,
			ProxyURL:                 c.ProxyURL,
		},
	}
	if c.Host != "" {
		overrides.ClusterInfo.Server = withScheme(c.Host)
	}
	return overrides
}
