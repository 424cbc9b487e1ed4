// Package suite runs the tests of this repository as `make test` and `make test-all` do.
//
// It builds what the tests drive once, starts sets of clusters when the first package needs them, and hands each set to one package at a
// time. go test starts every test program through a wrapper ([Exec]), which asks the run for a lease: the clusters, and how many tests of
// the package run at once. In the end the run prints where the time went.
//
// Everything ends with the run: test programs end when their wrapper loses the connection to the run, and clusters end when their
// supervisor's standard input does.
package suite
