package hub

import (
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// discovery is how long a hub may take to discover a kind that was just installed: its agent runs discovery every 30 seconds once it has a leader
// (KubeFleet, pkg/resourcewatcher).
const discovery = time.Minute

// undiscovered reports whether the hub's webhook denied a placement because its agent has not discovered the kinds yet (KubeFleet,
// pkg/utils/validator/placement.go, validatePlacement). Only the text shows this, and it is the same for a kind that the placement cannot select.
func undiscovered(err error) bool {
	if !kube.IsForbidden(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "not found in schema (please retry)") || strings.Contains(text, "cannot perform resource scope check for now, please retry")
}
