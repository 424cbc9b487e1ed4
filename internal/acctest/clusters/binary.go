package clusters

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// module is the folder of the nested module, relative to the repository's root.
const module = "internal/testcluster"

// versionLine finds the version of Kubernetes that the nested module requires.
var versionLine = regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)`)

// Binary returns the path of the test cluster binary. It builds the binary if the cache has none for the current sources, which takes minutes the first time.
// Progress goes to log, which may be nil. The working directory may be anywhere in the repository.
func Binary(ctx context.Context, log io.Writer) (string, error) {
	root, err := gobuild.Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, filepath.FromSlash(module))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	flags, err := linkerFlags(string(mod))
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(dir, "go.mod"), err)
	}
	return gobuild.Build(ctx, gobuild.Target{Name: "testcluster", ModuleDir: dir, Package: ".", LDFlags: flags}, log)
}

// linkerFlags returns the flags that set the Kubernetes version of the binary, as a Kubernetes release build does. Without it, an API server has version v0.0.0
// and disables features of later versions.
func linkerFlags(mod string) (string, error) {
	match := versionLine.FindStringSubmatch(mod)
	if match == nil {
		return "", fmt.Errorf("no requirement of k8s.io/kubernetes")
	}
	stamps := []struct{ name, value string }{
		{"gitVersion", match[1]},
		{"gitMajor", match[2]},
		{"gitMinor", match[3]},
		{"gitTreeState", "clean"},
	}
	flags := []string{"-s", "-w"}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, stamp := range stamps {
			flags = append(flags, fmt.Sprintf("-X %s.%s=%s", pkg, stamp.name, stamp.value))
		}
	}
	return strings.Join(flags, " "), nil
}
