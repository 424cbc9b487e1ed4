// Package bench has benchmarks of previews on fleets of real members, and of the references for them: the bare requests, and kubectl diff.
// They run with make bench, which prints their table at its end. FLEET_BENCH_MEMBERS is the list of fleet sizes ("10,50" by default).
package bench
