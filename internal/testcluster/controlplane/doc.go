// Package controlplane runs one etcd and any number of Kubernetes clusters on it, each with its own key prefix, certificate authority and processes.
//
// It uses plain HTTP requests instead of client-go, so that it and its tests compile without Kubernetes.
package controlplane
