// Package engine is the port between the provider and the systems it drives.
//
// An [Engine] registers members, keeps envelopes and places objects; it is asked what a placement will do before it does it. The
// adapters live in the packages below this one and do not know each other.
package engine
