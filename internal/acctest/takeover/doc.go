// Package takeover holds the preview of the direct engine against real API servers: what it foresees for an object that a placement finds
// on a member is what the apply then does, and both are what KubeFleet does.
package takeover
