package override

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Upgraders returns the upgrader for states of version 0, in which `value` was sensitive. A value that can apply to a Secret becomes
// `value_sensitive`, so that no plan shows it.
func (n noun) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	selectors := "cluster_resource_selectors"
	if n.namespaced {
		selectors = "resource_selectors"
	}
	return map[int64]resource.StateUpgrader{0: convert.Upgrader(n.Schema(ctx), func(attributes map[string]json.RawMessage) error {
		return protectSecrets(attributes, selectors)
	})}
}

// protectSecrets moves to value_sensitive the values that an override writes to the data of a Secret or of an object in a Namespace.
func protectSecrets(attributes map[string]json.RawMessage, selectors string) error {
	var selected []struct{ Group, Kind string }
	if err := json.Unmarshal(attributes[selectors], &selected); err != nil {
		return err
	}
	if !slices.ContainsFunc(selected, func(s struct{ Group, Kind string }) bool {
		return s.Group == "" && (s.Kind == "Secret" || s.Kind == "Namespace")
	}) {
		return nil
	}
	var policy map[string][]map[string]json.RawMessage
	if err := json.Unmarshal(attributes["policy"], &policy); err != nil {
		return err
	}
	for _, rule := range policy["override_rules"] {
		var patches []map[string]any
		if err := json.Unmarshal(rule["json_patch_overrides"], &patches); err != nil {
			return err
		}
		for _, patch := range patches {
			if at, _ := patch["path"].(string); (override.Patch{Path: at}).IsOfData() {
				patch["value_sensitive"], patch["value"] = patch["value"], nil
			}
		}
		upgraded, err := json.Marshal(patches)
		if err != nil {
			return err
		}
		rule["json_patch_overrides"] = upgraded
	}
	upgraded, err := json.Marshal(policy)
	attributes["policy"] = upgraded
	return err
}
