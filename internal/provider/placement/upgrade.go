package placement

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Upgrader returns an upgrader for states of earlier versions. These states can have a status instead of phase and problems, and severities in lower case.
func Upgrader(current schema.Schema) resource.StateUpgrader {
	return convert.Upgrader(current, func(attributes map[string]json.RawMessage) error {
		wait := map[string]json.RawMessage{}
		if err := json.Unmarshal(attributes["wait"], &wait); err != nil && len(attributes["wait"]) > 0 {
			return err
		}
		capitalize(attributes, "on_takeover_conflict")
		capitalize(wait, "on_failure")
		if len(wait) == 0 {
			return nil
		}
		upgraded, err := json.Marshal(wait)
		attributes["wait"] = upgraded
		return err
	})
}

// capitalize changes the value of an attribute from "warn" to "Warn", for example.
func capitalize(attributes map[string]json.RawMessage, name string) {
	for _, severity := range Severity("").Values() {
		if string(attributes[name]) == `"`+strings.ToLower(severity)+`"` {
			attributes[name] = json.RawMessage(`"` + severity + `"`)
		}
	}
}
