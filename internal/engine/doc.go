// Package engine defines the interface between the provider and the systems that place objects on clusters.
//
// An [Engine] registers members, stores envelopes and overrides, and previews and applies placements. Nothing in this package depends on a particular engine,
// and callers do not distinguish engines by name.
//
// The engines are the subpackages direct, kubefleet and kubeadmiral, which do not depend on each other. They share these packages: clusterset (the connections to
// clusters), source (the content of a placement), memberpreview (the predicted effect of an apply on the objects of a member), memberapply (the apply on a
// member), rolling (the order in which clusters change), controlplane (requests to the API of a hub) and hubenvelope (envelopes as objects on a hub). enginetest
// has the tests that every engine must pass.
package engine
