// Package hubenvelope keeps envelopes as objects on a hub.
package hubenvelope
