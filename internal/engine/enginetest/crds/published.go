package crds

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// KubeFleetEnv is the environment variable for the folder with KubeFleet's published definitions, in crds/kubefleet-RELEASE, and recordings of its agents, in
// recordings/kubefleet.
const KubeFleetEnv = "FLEET_TEST_KUBEFLEET"

// Reference returns a path in the folder that KubeFleetEnv names, or else in the folder "shared" next to the repository. It skips the test if the path does not
// exist.
func Reference(t testing.TB, elements ...string) string {
	t.Helper()
	folder := os.Getenv(KubeFleetEnv)
	if folder == "" {
		root, err := gobuild.Root()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(filepath.Dir(root), "shared")
	}
	path := filepath.Join(append([]string{folder}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("KubeFleet's definitions and recordings are missing: set %s to the folder that has them", KubeFleetEnv)
	}
	return path
}

// Published returns the definitions that KubeFleet has published, by release. It skips the test if the folder crds is missing.
func Published(t testing.TB) map[string][]*unstructured.Unstructured {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(Reference(t, "crds"), "kubefleet-*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	out := map[string][]*unstructured.Unstructured{}
	for _, folder := range folders {
		definitions, err := Read(os.DirFS(folder))
		if err != nil || len(definitions) == 0 {
			t.Fatalf("%s: %d definitions, %v", folder, len(definitions), err)
		}
		out[filepath.Base(folder)] = definitions
	}
	return out
}
