// Package kubeconfig writes the kubeconfig files of test clusters. It has only the fields that they use: inline certificates, client certificates, tokens.
package kubeconfig

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
)

// Server is an API server and its CA certificate.
type Server struct {
	Name string
	URL  string
	CA   []byte
}

// User is a credential: a client certificate or a token.
type User struct {
	Pair  pki.Pair
	Token string
}

// File collects contexts. The first one becomes the current context.
type File struct {
	config config
}

// Add adds a context for the user on the server. Cluster entries have the server's name, user entries the context's.
func (f *File) Add(context string, server Server, user User) {
	if f.config.CurrentContext == "" {
		f.config.CurrentContext = context
	}
	known := false
	for _, entry := range f.config.Clusters {
		known = known || entry.Name == server.Name
	}
	if !known {
		f.config.Clusters = append(f.config.Clusters, clusterEntry{
			Name:    server.Name,
			Cluster: cluster{Server: server.URL, CA: server.CA},
		})
	}
	f.config.Users = append(f.config.Users, userEntry{
		Name: context,
		User: authInfo{Cert: user.Pair.Cert, Key: user.Pair.Key, Token: user.Token},
	})
	f.config.Contexts = append(f.config.Contexts, contextEntry{
		Name:    context,
		Context: contextRef{Cluster: server.Name, User: context},
	})
}

// Write writes the file to path, readable only by its owner. It writes atomically, because other processes wait for the file.
func (f *File) Write(path string) error {
	f.config.APIVersion, f.config.Kind = "v1", "Config"
	data, err := yaml.Marshal(f.config)
	if err != nil {
		return fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

type config struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	CurrentContext string         `json:"current-context"`
	Clusters       []clusterEntry `json:"clusters"`
	Users          []userEntry    `json:"users"`
	Contexts       []contextEntry `json:"contexts"`
}

type clusterEntry struct {
	Name    string  `json:"name"`
	Cluster cluster `json:"cluster"`
}

// cluster and authInfo have byte slices because JSON encodes them in base64, as the *-data fields require.
type cluster struct {
	Server string `json:"server"`
	CA     []byte `json:"certificate-authority-data"`
}

type userEntry struct {
	Name string   `json:"name"`
	User authInfo `json:"user"`
}

type authInfo struct {
	Cert  []byte `json:"client-certificate-data,omitempty"`
	Key   []byte `json:"client-key-data,omitempty"`
	Token string `json:"token,omitempty"`
}

type contextEntry struct {
	Name    string     `json:"name"`
	Context contextRef `json:"context"`
}

type contextRef struct {
	Cluster string `json:"cluster"`
	User    string `json:"user"`
}
