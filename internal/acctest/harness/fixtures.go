package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// ManyConfigMaps returns a placement of a namespace with n ConfigMaps.
func (h *Harness) ManyConfigMaps(kubeconfig, name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name)
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%02d, namespace: %s}\ndata: {number: \"%d\"}\n", i, name, i)
	}
	return h.Provider(kubeconfig) + fmt.Sprintf(`
resource "fleet_crp" "p" {
  name      = %q
  manifests = { "all.yaml" = %q }
}
`, name, b.String())
}

// Record puts a recorder in front of the clusters until the test ends.
func (h *Harness) Record(t *testing.T) *clusters.Recorder {
	t.Helper()
	recorder, err := clusters.NewRecorder(h.Env, clusters.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	})
	return recorder
}

// PutExample creates the objects of an example on the hub and the members.
func (h *Harness) PutExample(t *testing.T, name string) {
	t.Helper()
	clusters.Need(t, h.Env)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	h.PutFiles(t, filepath.Join(root, "examples", name))
}

// PutFiles creates the objects in the files of a folder. Each file is named after its cluster.
func (h *Harness) PutFiles(t *testing.T, dir string) {
	t.Helper()
	for _, cluster := range []string{"hub", "member-1", "member-2", "member-3"} {
		if text, err := os.ReadFile(filepath.Join(dir, cluster+".yaml")); err == nil {
			h.Put(t, cluster, string(text))
		}
	}
}

// PodUIDs returns the UIDs of the Pods in a namespace of a cluster.
func (h *Harness) PodUIDs(t *testing.T, cluster, namespace string) map[string]bool {
	t.Helper()
	pods, err := h.On(t, cluster).List(context.Background(), "v1", "Pod", namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, pod := range pods {
		out[string(pod.GetUID())] = true
	}
	return out
}
