// Package memberpreview predicts what an apply does to the objects on one member, and why. It reads the objects, compares them with the
// desired ones, sends dry runs where the result is uncertain, and decides as KubeFleet does. It writes nothing.
//
// All engines share it. They differ in how they determine ownership ([Ownership]) and how they write ([Writer]).
//
// Start at [Member.Preview] (read.go, preview.go), then read decide.go from top to bottom. It calls compare.go, dry_run.go, permission.go and
// admission.go.
package memberpreview
