// Package kubeconfig writes the kubeconfig files of test clusters. It knows
// only the fields they use: inline certificates, client certificates, tokens.
package kubeconfig

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
)

// Server is an API server and the certificate that it is known by.
type Server struct {
	Name string
	URL  string
	CA   []byte
}

// User is a way to log in: with a client certificate or with a token.
type User struct {
	Pair  pki.Pair
	Token string
}

// File collects contexts. The first that is added becomes the current one.
type File struct {
	config config
}

// Add adds a context for the user on the server. Cluster entries are named
// after the server, user entries after the context.
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

// Write stores the file at path, readable by its owner alone. It appears
// complete or not at all: others wait for it to appear.
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

// cluster and authInfo hold byte slices because JSON writes those in base64,
// which is what the *-data fields are.
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
