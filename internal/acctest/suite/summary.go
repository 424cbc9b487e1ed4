//go:build unix

package suite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// summarize prints the packages, the slowest first, the slowest tests, the number of passed top-level tests, and the failures. The wall time of a
// package excludes compilation and waiting for clusters. The CPU time of a package includes the programs and clusters that its tests started. It
// excludes clusters that packages share. The rest of the run's CPU time is compilation and the clusters that packages share.
func (r *results) summarize(usageOf func(path string) usage, runUsage usage, slowest int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	type row struct {
		path  string
		tests int
		usage
	}
	var rows []row
	var total row
	for importPath, p := range r.packages {
		one := row{path: r.path(importPath), tests: p.tests, usage: usageOf(r.path(importPath))}
		total.tests, total.CPU = total.tests+one.tests, total.CPU+one.CPU
		rows = append(rows, one)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.Wall, a.Wall), cmp.Compare(a.path, b.path)) })
	_, _ = fmt.Fprintln(r.out)
	table := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(path string, wall, cpu time.Duration, tests int) {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t  %s\n", formatSeconds(wall), formatSeconds(cpu), tests, path)
	}
	_, _ = fmt.Fprintln(table, "wall\tCPU\ttests\t  package")
	var fastPackages row
	for _, one := range rows {
		if one.Wall < time.Second {
			fastPackages.tests, fastPackages.Wall, fastPackages.CPU = fastPackages.tests+one.tests, fastPackages.Wall+one.Wall, fastPackages.CPU+one.CPU
			continue
		}
		line(one.path, one.Wall, one.CPU, one.tests)
	}
	if fastPackages.tests > 0 {
		line("all packages below a second", fastPackages.Wall, fastPackages.CPU, fastPackages.tests)
	}
	line("compiler and shared clusters", 0, runUsage.CPU-total.CPU, 0)
	line("total", runUsage.Wall, runUsage.CPU, total.tests)
	_ = table.Flush()
	r.printSlowest(slowest)
	_, _ = fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.ended["pass"], r.ended["fail"], r.ended["skip"])
	r.printFailed(usageOf)
}

// printFailed lists failed tests, and packages that failed without a failed test, for example by a panic or because they did not run.
func (r *results) printFailed(usageOf func(path string) usage) {
	for _, importPath := range slices.Sorted(maps.Keys(r.packages)) {
		p, path := r.packages[importPath], r.path(importPath)
		switch {
		case !p.failed:
		case len(p.failedTests) > 0:
			for _, test := range p.failedTests {
				_, _ = fmt.Fprintf(r.out, "failed: %s %s\n", path, test)
			}
		case !p.ran && usageOf(path) == usage{}:
			_, _ = fmt.Fprintf(r.out, "failed: %s (did not run)\n", path)
		default:
			_, _ = fmt.Fprintf(r.out, "failed: %s\n", path)
		}
	}
}

func (r *results) printSlowest(most int) {
	tests := slices.Clone(r.tests)
	slices.SortStableFunc(tests, func(a, b testResult) int { return cmp.Compare(b.elapsed, a.elapsed) })
	tests = tests[:min(most, len(tests))]
	if len(tests) == 0 || tests[0].elapsed < time.Second {
		return
	}
	_, _ = fmt.Fprintf(r.out, "\nThe slowest tests:\n")
	for _, test := range tests {
		_, _ = fmt.Fprintf(r.out, "%8s  %s\n", formatSeconds(test.elapsed), test.name)
	}
}

func formatSeconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
