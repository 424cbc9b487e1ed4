// Package gobuild builds programs from the nested Go modules of this repository and caches them in the user's cache directory.
//
// The name of a cache entry is a hash of the program's inputs: the files of its module, the build settings and the Go version. A program is built once on a
// machine, by the first process that needs it, and again only when an input changes.
package gobuild
