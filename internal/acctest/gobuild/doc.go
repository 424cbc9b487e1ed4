// Package gobuild builds programs from the nested Go modules of this
// repository and keeps them in the user's cache directory.
//
// A cache entry is named after everything that goes into the program: the
// files of its module, the build settings and the Go version. So a program is
// built once on a machine, by whichever process asks first, and again only
// when one of those changes.
package gobuild
