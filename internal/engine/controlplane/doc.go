// Package controlplane is what the engines for hub clusters share, whichever software the hub cluster runs:
//
//	read.go      typed reads, and the error for a kind that is not served
//	write.go     writes that are repeated
//	poll.go      waiting for a control plane
//	identity.go  whether the hub cluster is the known one
package controlplane
