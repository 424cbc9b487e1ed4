// Package fakekubeadmiral is a fake KubeAdmiral control plane for tests: it reacts to the objects of a host's API, and writes to the members, as the controller
// manager does. It decides with this repository's own packages. Tests with the fake therefore check how the engine communicates with a host. Only tests on real
// hosts check whether these packages predict a host's decisions.
//
// The fake acts some time after a write. [Host.Rest] makes it act immediately.
//
// It does not simulate divided replicas, autoscalers, override policies, migration, scheduler profiles, and services across clusters. A real host creates a
// FederatedObject for every object of a kind that has a FederatedTypeConfig. The fake creates it only for Namespaces, for objects with a policy label, and for
// the followers of these objects. It places each of these Namespaces on all members, and ignores the namespaces of the system.
package fakekubeadmiral
