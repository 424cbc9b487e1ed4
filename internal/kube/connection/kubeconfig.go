package connection

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

func (c Connection) kubeconfigConfig() (*rest.Config, error) {
	file := kubeconfig{connection: c, field: c.filesField()}
	if err := file.load(); err != nil {
		return nil, err
	}
	context, err := file.context()
	if err != nil {
		return nil, err
	}
	if err := file.checkCluster(context); err != nil {
		return nil, err
	}
	if err := file.checkUser(context); err != nil {
		return nil, err
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*file.content, context, c.overrides(context), nil).ClientConfig()
	if err != nil {
		return nil, file.errorf(file.field, "%s cannot be used: %s.", file.name(), strings.TrimPrefix(err.Error(), "invalid configuration: "))
	}
	if config.Host == "" {
		return nil, file.errorf(file.field, "%s names no API server.", file.name())
	}
	return config, nil
}

type kubeconfig struct {
	connection Connection
	field      string // the argument that names the files
	paths      []string
	content    *clientcmdapi.Config
}

func (k *kubeconfig) name() string { return "kubeconfig " + strings.Join(k.paths, ", ") }

func (k *kubeconfig) errorf(field, format string, args ...any) error {
	return &ConfigError{Field: field, Message: fmt.Sprintf(format, args...)}
}

// load does not return client-go's errors, because they quote file contents.
func (k *kubeconfig) load() error {
	for _, path := range k.connection.paths() {
		expanded, err := expandHome(path)
		if err != nil {
			return k.errorf(k.field, "kubeconfig %s: the home directory is not known.", path)
		}
		k.paths = append(k.paths, expanded)
	}
	content, bad, err := kubeconfigs.load(k.paths)
	switch {
	case bad != "":
		return k.errorf(k.field, "%s", unreadable(bad, err))
	case err != nil:
		return k.errorf(k.field, "%s cannot be merged.", k.name())
	}
	k.content = content
	if len(content.Clusters) == 0 {
		return k.errorf(k.field, "%s contains no cluster.", k.name())
	}
	return nil
}

// context returns the name of the context to use. It returns "" if config_context_cluster and config_context_auth_info replace the context.
func (k *kubeconfig) context() (string, error) {
	connection, content := k.connection, k.content
	if name := connection.ConfigContextCluster; name != "" && content.Clusters[name] == nil {
		return "", k.errorf("config_context_cluster", "%s has no cluster %q. It has: %s.", k.name(), name, nameList(content.Clusters))
	}
	if name := connection.ConfigContextAuthInfo; name != "" && content.AuthInfos[name] == nil {
		return "", k.errorf("config_context_auth_info", "%s has no user %q. It has: %s.", k.name(), name, nameList(content.AuthInfos))
	}
	if name := connection.ConfigContext; name != "" {
		if content.Contexts[name] == nil {
			return "", k.errorf("config_context", "%s has no context %q. It has: %s.", k.name(), name, nameList(content.Contexts))
		}
		return name, nil
	}
	switch {
	case connection.ConfigContextCluster != "" && connection.ConfigContextAuthInfo != "":
		return "", nil
	case len(content.Contexts) == 0:
		return "", k.errorf(k.field, "%s has no context. Add one, or set config_context_cluster and config_context_auth_info.", k.name())
	case len(content.Contexts) > 1:
		return "", k.errorf("config_context", "%s has %d contexts, and config_context is not set. Set it to one of: %s. The file's current-context "+
			"is not used: it changes with every \"kubectl config use-context\".",
			k.name(), len(content.Contexts), nameList(content.Contexts))
	}
	for only := range content.Contexts {
		return only, nil
	}
	return "", nil
}

// checkCluster returns an error if the cluster does not exist. It also validates the addresses and the CA file before client-go does. client-go's errors
// would repeat an address with its user and password, and client-go would open a CA file that must not be opened.
func (k *kubeconfig) checkCluster(context string) error {
	name := k.connection.ConfigContextCluster
	if selected := k.content.Contexts[context]; name == "" && selected != nil {
		name = selected.Cluster
	}
	cluster := k.content.Clusters[name]
	if cluster == nil {
		return k.errorf(k.field, "Context %q of %s names the cluster %q, which it does not have. It has: %s.",
			context, k.name(), name, nameList(k.content.Clusters))
	}
	if k.connection.Host == "" && cluster.Server != "" {
		if message := hostProblem(cluster.Server); message != "" {
			return k.errorf(k.field, "Cluster %q of %s: server: %s", name, k.name(), message)
		}
	}
	if k.connection.ProxyURL == "" && cluster.ProxyURL != "" {
		if _, message := parseProxy(cluster.ProxyURL); message != "" {
			return k.errorf(k.field, "Cluster %q of %s: proxy-url: %s", name, k.name(), message)
		}
	}
	return k.checkFiles(k.field, fmt.Sprintf("Cluster %q of %s", name, k.name()), cluster.CertificateAuthority)
}

func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, strings.TrimPrefix(path, "~")), nil
}

var lineNumber = regexp.MustCompile(`\bline \d+\b`)

// unreadable returns the message for a kubeconfig that cannot be read. If err is a parser's error, the message has only its line number, because the error
// quotes the file, which may contain a token.
func unreadable(path string, err error) string {
	var pathError *fs.PathError
	var unbounded *unboundedFileError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("kubeconfig %s does not exist.", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("kubeconfig %s may not be read: permission denied.", path)
	case errors.As(err, &unbounded):
		return fmt.Sprintf("kubeconfig %s %s.", path, err)
	case errors.As(err, &pathError):
		return fmt.Sprintf("kubeconfig %s cannot be read: %s.", path, pathError.Err)
	}
	if line := lineNumber.FindString(err.Error()); line != "" {
		return fmt.Sprintf("kubeconfig %s is not a valid kubeconfig file (%s).", path, line)
	}
	return fmt.Sprintf("kubeconfig %s is not a valid kubeconfig file.", path)
}

const maxNames = 20

func nameList[V any](entries map[string]V) string {
	names := slices.Sorted(maps.Keys(entries))
	if len(names) == 0 {
		return "none"
	}
	return words.First(names, maxNames)
}
