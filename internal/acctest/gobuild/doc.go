// Package gobuild builds programs from the nested Go modules of this repository and caches them in the user's cache directory.
//
// The name of a cache entry is the program's name and a hash of its inputs: the files of its module, the build settings and the Go version. A program is built
// by the first process on a machine that needs it. It is built again if an input changes, or if the cache no longer has it.
package gobuild
