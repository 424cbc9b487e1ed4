package compatibility

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// TestTestedVersions compares the tested versions in the guide with the modules and the scripts that the tests use.
func TestTestedVersions(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		return documents.Read(t, filepath.Join(documents.Root(t), filepath.FromSlash(name)))
	}
	find := func(file, pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(file))
		if found == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		return found[1]
	}
	module := func(dir, path string) string {
		return find("internal/"+dir+"/go.mod", `(?m)^\s*(?:require )?`+regexp.QuoteMeta(path)+` v(\S+)`)
	}
	want := [][2]string{
		{"Kubernetes", module("testcluster", "k8s.io/kubernetes")},
		{"Terraform", module("tools/terraform", "github.com/hashicorp/terraform")},
		{"Terraform", module("tools/terraform-1.11", "github.com/hashicorp/terraform")},
		{"OpenTofu", module("tools/opentofu", "github.com/opentofu/opentofu")},
		{"KubeFleet", find("internal/tools/kind/with-kubefleet", `KUBEFLEET_VERSION:-([^}]+)`)},
		{"KubeAdmiral", "`" + v1alpha1.GroupVersion.String() + "`"},
	}
	const guide = "templates/guides/versions.md"
	_, table, _ := strings.Cut(read(guide), "| | tested version | how |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) != len(want) {
		t.Errorf("%s has %d tested versions, want %d", guide, len(rows), len(want))
	}
	for i, row := range rows {
		if i < len(want) && !strings.HasPrefix(row, "| "+want[i][0]+" | "+want[i][1]+" | ") {
			t.Errorf("%s: got %q, want %q", guide, row, want[i])
		}
	}
}
