package override

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Error is returned for an override that cannot be applied: KubeFleet's user error, which is reported as the condition Overridden=False with
// reason OverriddenFailed. Its text contains no values of the object or of the patch.
type Error struct {
	Override Reference
	Object   manifest.Identifier
	Cluster  string
	// Rule is the index of the rule, or -1 if the object is invalid after all rules. Patch is the index of the rule's operation, or -1 if the error is not
	// about an operation.
	Rule, Patch int
	// JSONPath is the path of the operation, or "" if there is none.
	JSONPath string
	Err      error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s failed to apply on %s for cluster %q: ", e.Override, e.Object, e.Cluster)
	if e.Rule >= 0 {
		fmt.Fprintf(&b, "%s: ", e.Path())
	}
	if e.JSONPath != "" {
		fmt.Fprintf(&b, "path %s: ", e.JSONPath)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Path returns the path of the cause, with the names of the Terraform attributes.
func (e *Error) Path() placement.Path {
	path := placement.At("policy")
	if e.Rule < 0 {
		return path
	}
	path = path.Attribute("override_rules").Index(e.Rule)
	if e.Patch >= 0 {
		path = path.Attribute("json_patch_overrides").Index(e.Patch)
	}
	return path
}
