// Package kubeadmiral tests the provider on a host of KubeAdmiral, as a user runs it, with a stand-in of the host's control plane.
package kubeadmiral
