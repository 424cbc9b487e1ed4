// Package controlplane has the code that the engines for hub clusters share: typed reads, repeated writes, waiting for the control plane, and its identity.
package controlplane
