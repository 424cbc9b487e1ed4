// Package fakekubeadmiral is a fake KubeAdmiral control plane for tests: it reacts to the objects of a host's API, and writes to the members, as the
// controller manager does. It uses this repository's own packages. So it tests how the engine communicates with a host, not whether those packages predict a
// host's decisions; tests on real hosts do that.
//
// The fake acts some time after a write. [Host.Rest] makes it act immediately.
//
// It does not simulate divided replicas, autoscalers, override policies, migration, scheduler profiles, and services across clusters. It creates
// FederatedObjects only for Namespaces, for objects with a policy label and for their followers, where a real host creates them for every object, and it places
// the Namespaces of a policy's objects.
package fakekubeadmiral
