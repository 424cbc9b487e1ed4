// Package engine is the port between the provider and the systems it drives.
//
// An [Engine] registers members, stores envelopes and overrides, and places objects; it previews a placement before it applies it. Its
// parameters and results are the types of internal/fleet with their last known state: nothing in this package depends on how one engine works,
// and no caller asks an engine for its name.
//
// The adapters are the subpackages; they do not depend on each other. They share clusterset (the clusters that the provider can reach), source
// (the content of a placement), memberpreview (what an apply would do to the objects on a member), memberapply (the apply itself), rolling
// (which clusters may change when) and hubenvelope (envelopes as objects on a hub). enginetest is the contract that every engine passes.
package engine
