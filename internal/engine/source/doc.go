// Package source finds out what a placement places: the objects that its selectors pick on the hub and among its own manifests, envelopes
// opened.
package source
