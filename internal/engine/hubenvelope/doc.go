// Package hubenvelope stores envelopes as objects on a hub.
package hubenvelope
