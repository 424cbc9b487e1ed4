// Package controlplane runs one etcd and any number of Kubernetes clusters on
// it, each with its own key prefix, certificate authority and processes.
//
// It talks to the clusters in plain HTTP requests rather than through
// client-go, so that it and its tests compile without Kubernetes.
package controlplane
