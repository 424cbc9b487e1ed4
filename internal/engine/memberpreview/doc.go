// Package memberpreview finds out what an apply would do to objects on one member, and why: it reads them, compares them with what is to be
// placed, asks the API server with dry runs where that leaves a doubt, and decides as KubeFleet decides. It writes nothing.
//
// All engines share it. What differs between them is whose an object is ([Ownership]) and how it is written ([Writer]).
//
// The walk of one object is [Member.Preview] (read.go, preview.go), then decide.go from top to bottom; what it asks on the way is in compare.go,
// dry_run.go, permission.go and admission.go. Nothing that these find out is undone later: each returns a value, and the object has its
// [engine.ObjectPreview] set once.
package memberpreview
