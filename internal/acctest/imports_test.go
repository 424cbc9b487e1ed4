package acctest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

const modulePath = "github.com/terraform-fleet/terraform-provider-fleet/"

// sharedByEngines are the folders of internal/engine that are not engines. The value lists the other folders in this map that the folder may import in
// addition to the port. Every folder that is not in this map is an engine: it may import all folders in this map, and no other engine.
var sharedByEngines = map[string][]string{
	"clusterset":    {},
	"controlplane":  {"clusterset"},
	"hubenvelope":   {"clusterset"},
	"source":        {"clusterset"},
	"memberpreview": {"clusterset", "source"},
	"occupants":     {},
	"memberapply":   {"clusterset", "memberpreview"},
	"rolling":       {},
	"owners":        {"clusterset"},
	"workload":      {"clusterset"},
	"enginetest":    {},
}

// engineFolder returns the folder of internal/engine that contains a package, empty for the port and for packages elsewhere. A fake control plane counts as a
// part of the engine that it serves.
func engineFolder(path string) string {
	below, is := strings.CutPrefix(strings.TrimPrefix(path, modulePath), "internal/engine/")
	if !is {
		return ""
	}
	if engine, isFake := strings.CutPrefix(below, "enginetest/fakekube"); isFake {
		return "kube" + engine
	}
	folder, _, _ := strings.Cut(below, "/")
	return folder
}

// checkEngineImports checks the imports between the folders of internal/engine.
func checkEngineImports(t *testing.T, path string, imports []string) {
	t.Helper()
	folder := engineFolder(path)
	allowed, shared := sharedByEngines[folder]
	for _, imported := range imports {
		other := engineFolder(imported)
		isAPI := strings.HasPrefix(strings.TrimPrefix(imported, modulePath), "internal/engine/kubefleet/api/")
		if other == "" || other == folder || folder == "enginetest" && isAPI {
			continue
		}
		switch _, otherShared := sharedByEngines[other]; {
		case folder == "" && strings.HasPrefix(path, "internal/engine"):
			t.Errorf("%s imports %s: the port must not import engines", path, imported)
		case shared && !slices.Contains(allowed, other):
			t.Errorf("%s imports %s, which a package shared by engines may not", path, imported)
		case folder != "" && !shared && !otherShared:
			t.Errorf("%s imports %s: engines must not import each other", path, imported)
		case folder == "" && !otherShared && path != "internal/app":
			t.Errorf("%s imports %s; only internal/app may import engines", path, imported)
		}
	}
}

// builtInTypes are packages with the Go types of built-in kinds. They would increase the size of the provider by half.
var builtInTypes = []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/applyconfigurations", "k8s.io/client-go/discovery", "k8s.io/api/core"}

// pureFolders are folders of engines that access no cluster, with the packages of this module that each may import.
var pureFolders = map[string][]string{
	"internal/engine/controlplane/codec":  {},
	"internal/engine/kubefleet/api":       {"internal/engine/kubefleet/api", "internal/fleet/kubefleetapi"},
	"internal/engine/kubefleet/convert":   {"internal/engine/kubefleet/api", "internal/engine/controlplane/codec", "internal/fleet"},
	"internal/engine/kubeadmiral/api":     {"internal/engine/kubeadmiral/api"},
	"internal/engine/kubeadmiral/convert": {"internal/engine/kubeadmiral/api", "internal/engine/controlplane/codec", "internal/fleet"},
}

// checkPureFolders checks the imports of pure folders.
func checkPureFolders(t *testing.T, path string, imports []string) {
	t.Helper()
	below := func(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
	for folder, allowed := range pureFolders {
		if !below(path, folder) {
			continue
		}
		for _, imported := range imports {
			ours, is := strings.CutPrefix(imported, modulePath)
			if is && !slices.ContainsFunc(allowed, func(folder string) bool { return below(ours, folder) }) {
				t.Errorf("%s imports %s: it must not access clusters", path, imported)
			}
		}
	}
}

// The layers of the design: which package may import which. Test files are exempt.
func TestImports(t *testing.T) {
	t.Parallel()
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		ImportPath    string
		Imports, Deps []string
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var pkg listed
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		path := strings.TrimPrefix(pkg.ImportPath, modulePath)
		if strings.HasPrefix(path, "internal/acctest") {
			continue
		}
		inside := func(folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
		has := func(paths []string, prefix string) bool {
			return slices.ContainsFunc(paths, func(p string) bool { return p == prefix || strings.HasPrefix(p, prefix+"/") })
		}
		if inside("internal/fleet") {
			for _, foreign := range []string{"k8s.io/client-go", "github.com/hashicorp", modulePath + "internal/engine", modulePath + "internal/kube"} {
				if has(pkg.Deps, foreign) {
					t.Errorf("%s depends on %s: the domain must not depend on clusters or Terraform", path, foreign)
				}
			}
		}
		// A fake hub is for tests only and may watch the objects that it reconciles.
		if !inside("internal/kube") && !inside("internal/engine/enginetest") && has(pkg.Imports, "k8s.io/client-go") {
			t.Errorf("%s imports client-go, which only internal/kube and its subpackages may", path)
		}
		for _, leaf := range []string{"internal/kube/connection", "internal/kube/transport"} {
			if inside(leaf) && slices.ContainsFunc(pkg.Imports, func(p string) bool {
				return strings.HasPrefix(p, modulePath) && p != modulePath+"internal/fleet/words"
			}) {
				t.Errorf("%s imports another package of this module than fleet/words, which it must not", path)
			}
		}
		if !inside("internal/provider") && !inside("internal/app") && has(pkg.Imports, "github.com/hashicorp") {
			t.Errorf("%s imports Terraform's libraries, which only internal/provider and internal/app may", path)
		}
		if inside("internal/kube") || inside("internal/engine") {
			if has(pkg.Deps, modulePath+"internal/provider") || has(pkg.Deps, "github.com/hashicorp") {
				t.Errorf("%s depends on the provider: the dependency must go the other way", path)
			}
		}
		for _, heavy := range builtInTypes {
			if path == "internal/app" && has(pkg.Deps, heavy) {
				t.Errorf("%s depends on %s and so on the Go types of all built-in kinds: use internal/kube/objectschema", path, heavy)
			}
		}
		checkEngineImports(t, path, pkg.Imports)
		checkPureFolders(t, path, pkg.Imports)
	}
	if seen < 20 {
		t.Fatalf("checked only %d packages", seen)
	}
}
