// Package report words what the provider tells its users. Nothing else does.
package report

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Error adds an error at the attribute that it is about, as far as the error knows that, else at the given one.
func Error(diags *diag.Diagnostics, at path.Path, summary string, err error) {
	var selector *selection.Error
	var limitation *engine.LimitationError
	var empty *engine.NothingSelectedError
	text := err.Error()
	switch {
	case errors.As(err, &selector):
		at = path.Root("resource_selectors").AtListIndex(selector.Selector)
	case errors.As(err, &limitation):
		at, text = convert.Path(limitation.Path), limitation.Message // not once for every cluster
	case errors.As(err, &empty):
		at = path.Root("resource_selectors")
	}
	diags.AddAttributeError(at, summary, text)
}
