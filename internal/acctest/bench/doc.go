// Package bench has benchmarks of previews and applies on fleets of real members, and of plans on a KubeFleet hub. For comparison, it also measures the bare
// requests, kubectl diff and kubectl apply.
//
// make bench runs the benchmarks and prints a table of the results. FLEET_BENCH_MEMBERS is the list of fleet sizes ("10,50" by default).
package bench
