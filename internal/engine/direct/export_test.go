package direct

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"

// SetPace sets the pace, so that tests wait less for operations that were killed.
func (e *Engine) SetPace(pace apply.Pace) { e.pace = pace }
