package suite

import (
	"runtime"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// A set is a hub and three members that can run Pods. Only one package at a time uses it. A kubefleet package and a kubeadmiral package never share a set,
// because the CRDs of one engine would be on the hub of the other. With two sets, two packages use clusters at the same time; a third set would slow down
// the tests and the API servers.
type set string

const (
	none        set = ""
	kubefleet   set = "kubefleet"
	kubeadmiral set = "kubeadmiral"
	// either is the first of the two that is free.
	either set = "either"
)

// members is the number of members of a set.
const members = clusters.SuiteMembers

// packageConfig describes how to run the tests of a package.
type packageConfig struct {
	// path is relative to the folder internal.
	path string
	// clusters is the set that the package uses; [none] for packages without clusters and those that start all their clusters themselves.
	clusters set
	// parallel is the number of parallel tests: more than the cores if tests wait for control planes. Zero is go test's default.
	parallel int
	// ownControlPlanes is the number of control planes that the package starts itself in `make test`. It is not set for packages that only `make test-all` runs.
	ownControlPlanes int
	// onlyTestAll: only `make test-all` runs the package.
	onlyTestAll bool
}

// packagesInOrder are the packages of `make test` that use clusters, the slowest first, and then those that only `make test-all` runs. go test starts them in
// this order.
var packagesInOrder = []packageConfig{
	{path: "engine/kubeadmiral", clusters: kubeadmiral, parallel: 6},
	{path: "acctest/kubefleet", clusters: kubefleet, parallel: 6},
	{path: "engine/kubefleet", clusters: kubefleet, parallel: 6},
	{path: "engine/direct", clusters: either, parallel: 6},
	{path: "acctest", clusters: either, parallel: 8},
	{path: "engine/kubefleet/hubs", clusters: kubefleet, parallel: 4},
	{path: "acctest/kubeadmiral", clusters: kubeadmiral, parallel: 6},
	{path: "kube", clusters: either, parallel: 8},
	{path: "acctest/membership", clusters: either},
	{path: "acctest/clusters", clusters: either, ownControlPlanes: 3},
	{path: "acctest/protocol", clusters: either, parallel: 8},
	// It installs KubeFleet's CRDs on a hub that does not have them.
	{path: "engine/enginetest/crds", clusters: kubeadmiral},
	{path: "engine/memberpreview", clusters: either, parallel: 8},
	{path: "engine/workload", clusters: either, parallel: 8},
	{path: "acctest/examples", clusters: either, onlyTestAll: true},
	{path: "acctest/faults", onlyTestAll: true},
	{path: "acctest/rolling", onlyTestAll: true},
	{path: "acctest/bench", onlyTestAll: true},
}

// configOf returns how to run the tests of a package.
func configOf(path string) packageConfig {
	at := slices.IndexFunc(packagesInOrder, func(w packageConfig) bool { return w.path == path })
	if at < 0 {
		return packageConfig{path: path}
	}
	return packagesInOrder[at]
}

// withoutGoroutines are packages whose own code starts no goroutines: decisions, conversions and schemas. A folder with a trailing slash stands for all
// packages in it.
var withoutGoroutines = []string{
	"fleet/", "provider/", "engine", "engine/direct/record", "engine/enginetest/crds", "engine/hubenvelope", "engine/kubeadmiral/convert",
	"engine/kubefleet/agent", "engine/kubefleet/convert", "kube/connection",
}

// withGoroutines are exceptions in the folders of withoutGoroutines.
var withGoroutines = []string{"provider/consequences", "provider/listing", "provider/session"}

// withContract are the packages that run the contract of an engine.
var withContract = []string{"engine/direct", "engine/kubeadmiral", "engine/kubefleet"}

// usesRaceDetector reports whether the tests of a package are built with the race detector. This is the case if the test program itself runs goroutines
// of this repository. Most tests in acctest run other programs instead. Without the detector, a test program takes two thirds of the time to link and less
// than half of the time to run. contracts reports whether packages with the contract of an engine use the detector: they do in `make test` and in
// `make test-race`. They do not in `make test-all`, where they would take half of the time of the run.
func usesRaceDetector(path string, contracts bool) bool {
	if !contracts && slices.Contains(withContract, path) {
		return false
	}
	if path == "acctest" || strings.HasPrefix(path, "acctest/") {
		return path == "acctest/protocol"
	}
	return slices.Contains(withGoroutines, path) || !slices.ContainsFunc(withoutGoroutines, func(folder string) bool {
		return path == folder || strings.HasSuffix(folder, "/") && strings.HasPrefix(path, folder)
	})
}

// maxParallelPackages returns the value of -p: one for each core, and one for each package that uses clusters, because most of those wait for a set. go
// also uses it for compilers and linkers.
func maxParallelPackages(paths []string) int {
	out := runtime.NumCPU()
	for _, path := range paths {
		if config := configOf(path); config.clusters != none || config.ownControlPlanes > 0 {
			out++
		}
	}
	return out
}

// order sorts paths relative to internal: those in packagesInOrder first, in this order, then the others.
func order(paths []string) []string {
	rank := func(path string) int {
		if at := slices.IndexFunc(packagesInOrder, func(w packageConfig) bool { return w.path == path }); at >= 0 {
			return at
		}
		return len(packagesInOrder)
	}
	out := slices.Clone(paths)
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}
