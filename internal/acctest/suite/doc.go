// Package suite runs the tests of this repository as `make test` and `make test-all` do.
//
// It builds the programs that the tests run, starts sets of clusters when the first package needs them, and gives each set to one package at a time. go test
// starts every test program through a wrapper ([Exec]), which requests a lease from the run: the clusters, and the number of parallel tests of the package. At
// its end the run prints a summary of the times.
//
// All processes end with the run: test programs end when their wrapper loses the connection to the run, and clusters end when the standard input of
// their supervisor ends.
package suite
