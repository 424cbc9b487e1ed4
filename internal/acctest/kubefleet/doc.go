// Package kubefleet tests the provider on a KubeFleet hub, as a user runs it: on a fake of the hub and its agents, or on a real hub with real agents and the
// kubeconfig in FLEET_TEST_KUBEFLEET_KUBECONFIG.
package kubefleet
