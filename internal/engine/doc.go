// Package engine defines the interface between the provider and the systems that place objects on clusters.
//
// An [Engine] registers members, stores envelopes and overrides, and previews and applies placements. Nothing in this package depends on a particular engine.
//
// The engines are the subpackages direct, kubefleet and kubeadmiral, which do not depend on each other. All of them use clusterset (the connections to
// clusters), source (the content of a placement) and memberpreview (the predicted effect of an apply on the objects of a member). The engines for hubs share
// controlplane (requests to the API of a hub). direct also uses memberapply (the apply on a member) and rolling (the order in which clusters change).
// enginetest has the tests that every engine must pass.
package engine
