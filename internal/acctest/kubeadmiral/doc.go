// Package kubeadmiral tests the provider on a KubeAdmiral host cluster, as a user runs it: with a fake control plane, or on a real host cluster with the
// kubeconfig in FLEET_TEST_KUBEADMIRAL_KUBECONFIG.
package kubeadmiral
