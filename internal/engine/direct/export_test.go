package direct

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"

// SetPace lets tests wait less for operations that were killed.
func (e *Engine) SetPace(pace apply.Pace) { e.pace = pace }
