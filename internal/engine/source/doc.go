// Package source resolves the content of a placement: the objects that its selectors select on the hub and among its own manifests, including
// those in envelopes.
package source
