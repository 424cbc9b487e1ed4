// Package bench holds benchmarks of previews on fleets of real members, and of
// what they are measured against: the bare requests, and kubectl diff. They run
// with make bench, which prints their table at its end; FLEET_BENCH_MEMBERS
// says how large the fleets are ("10,50" unless set).
package bench
