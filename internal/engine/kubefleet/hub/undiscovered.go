package hub

import (
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// discovery is how long a hub may take to notice a kind that was installed a moment ago: its agent looks every 30 seconds, once there is a leader
// (KubeFleet, pkg/resourcewatcher).
const discovery = time.Minute

// undiscovered tells whether the hub's webhook has refused a placement because its agent has not noticed yet which kinds there are (KubeFleet,
// pkg/utils/validator/placement.go, validatePlacement). It says so in the text alone, and in the same words of a kind that is not for this placement.
func undiscovered(err error) bool {
	if !kube.IsForbidden(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "not found in schema (please retry)") || strings.Contains(text, "cannot perform resource scope check for now, please retry")
}
