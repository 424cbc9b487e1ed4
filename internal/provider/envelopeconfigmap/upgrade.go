package envelopeconfigmap

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Upgraders returns the upgraders for states of earlier versions. In version 0, the default of wire_format was in lower case.
func (noun) Upgraders(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Upgrader(resourceSchema(), func(attributes map[string]json.RawMessage) error {
		if string(attributes["wire_format"]) == `"auto"` {
			attributes["wire_format"] = json.RawMessage(`"` + envelope.FormatAuto + `"`)
		}
		return nil
	})}
}
