package schedule

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// taintReason returns the reason for the first taint without a matching toleration, or "". The reason shows the taint as a Go struct, like KubeFleet's
// reason, because users search for this text.
func taintReason(taints []member.Taint, tolerations []placement.Toleration) string {
	for _, taint := range taints {
		tolerated := false
		for _, toleration := range tolerations {
			tolerated = tolerated || tolerates(toleration, taint)
		}
		if !tolerated {
			return fmt.Sprintf("taint &{Key:%s Value:%s Effect:%s} cannot be tolerated", taint.Key, taint.Value, taint.Effect)
		}
	}
	return ""
}

// tolerates follows KubeFleet's TaintToleration plugin: a toleration without an operator tolerates nothing.
func tolerates(toleration placement.Toleration, taint member.Taint) bool {
	if toleration.Effect != "" && toleration.Effect != taint.Effect {
		return false
	}
	switch toleration.Operator {
	case placement.TolerationExists:
		return toleration.Key == "" || toleration.Key == taint.Key
	case placement.TolerationEqual:
		return toleration.Key == taint.Key && toleration.Value == taint.Value
	default:
		return false
	}
}
