// Package engine is the port between the provider and the systems it drives.
//
// An [Engine] registers members, keeps envelopes, keeps overrides and places objects; it is asked what a placement will do before it does
// it. What it takes and returns are the nouns of internal/fleet and what was known of them the last time: nothing here speaks of how one
// engine works, and nobody asks an engine for its name.
//
// The adapters live in the packages below this one and do not know each other. What they share lies beside them: clusterset (the clusters
// that the provider can reach), source (what a placement places), memberpreview (what an apply would do to the objects on a member),
// memberapply (which does it), rolling (which clusters may change when) and hubenvelope (envelopes as objects on a hub). enginetest is the contract that every engine passes.
package engine
