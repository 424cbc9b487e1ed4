// Package bench has benchmarks of previews on fleets of real members. For comparison, it also measures the bare requests, and kubectl diff.
// make bench runs the benchmarks and prints a table of the results. FLEET_BENCH_MEMBERS is the list of fleet sizes ("10,50" by default).
package bench
