// Package kubefleet tests the provider on a hub of KubeFleet, as a user runs it: on a stand-in of the hub and of its agents, or on a real hub
// with real agents whose kubeconfig FLEET_TEST_KUBEFLEET_KUBECONFIG names.
package kubefleet
