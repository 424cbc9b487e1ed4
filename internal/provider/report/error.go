// Package report writes the diagnostics about placements, objects and clusters. Package [model] converts previews to the values that they show.
package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// maxError is the maximum length of the message of an error, in characters.
const maxError = 2000

// HoldsUpDestroy is added to errors that stop a plan: a destroy plans first, and a provider does not know for which operation Terraform plans.
const HoldsUpDestroy = " A \"terraform destroy\" plans first and is stopped as well, unless it is run with -refresh=false."

// Error adds an error at the attribute that err names, or at the given one if err names none.
func Error(diags *diag.Diagnostics, at path.Path, summary string, err error) {
	ErrorOnce(diags, at, summary, err, always)
}

func always(string) bool { return true }

// ErrorOnce is [Error] for an error that several resources of a run can have. It adds advice that is the same for all of them only the first time. first
// reports whether the run shows a text for the first time.
func ErrorOnce(diags *diag.Diagnostics, at path.Path, summary string, err error, first func(text string) bool) {
	var selector *selection.Error
	var limitation *engine.LimitationError
	var empty *engine.NothingSelectedError
	var exists *engine.ExistsError
	var taken *engine.NameTakenError
	text := explain(err)
	switch {
	case errors.As(err, &selector):
		at, text = path.Root("resource_selectors"), fmt.Sprintf("resource_selectors[%d]: %s", selector.Selector, text)
	case errors.As(err, &limitation): // explain would repeat the message for every cluster
		at, text = convert.Root(limitation.Path), limitation.Path.String()+": "+printable.Cut(limitation.Message, maxError)
	case errors.As(err, &empty):
		at = path.Root("resource_selectors")
	case errors.As(err, &exists) && exists.Owner == "" && first(knownAdvice):
		text += "\n\n" + knownAdvice
	case errors.As(err, &taken):
		text += HoldsUpDestroy
	}
	diags.AddAttributeError(at, summary, text)
}

// Served adds an error if err is an [engine.NotServedError]. It ignores other errors, because other operations report a hub that could not be read.
func Served(diags *diag.Diagnostics, at path.Path, summary string, err error) {
	if _, missing := errors.AsType[*engine.NotServedError](err); missing {
		Error(diags, at, summary, err)
	}
}

// knownAdvice is about an object that already exists, and may be in the state under another address or as a deposed object.
const knownAdvice = "If this configuration has it under another address, add a \"moved\" block. If this apply was to replace it, leave out " +
	"lifecycle.create_before_destroy, also of the resources that depend on it. If \"terraform plan\" calls it a deposed object, remove it from the state with " +
	"\"terraform state rm\", which keeps it on the clusters, and import it by its ID." + HoldsUpDestroy

// Warning adds a warning about an error that does not stop the operation.
func Warning(diags *diag.Diagnostics, at path.Path, summary string, err error) {
	diags.AddAttributeWarning(at, summary, explain(err))
}

// Replaced adds a warning if err is an [engine.ReplacedError], and reports whether it is one. The state keeps the known UID, so that later updates and destroys
// return the error.
func Replaced(diags *diag.Diagnostics, at path.Path, title string, err error) bool {
	replaced, is := errors.AsType[*engine.ReplacedError](err)
	if is {
		Warning(diags, at, title+" was deleted and recreated outside of Terraform", replaced)
	}
	return is
}

// ManagedElsewhere adds a warning if err is an [engine.ManagedElsewhereError], and reports whether it is one. The state keeps the known identity, so that later
// updates and destroys return the error.
func ManagedElsewhere(diags *diag.Diagnostics, at path.Path, title string, err error) bool {
	elsewhere, is := errors.AsType[*engine.ManagedElsewhereError](err)
	if is {
		Warning(diags, at, title+" could not be refreshed", elsewhere)
	}
	return is
}

// explain returns an error as the lines of a diagnostic, one or more for each joined error. It removes line breaks from texts of clusters, so that they cannot
// look like lines of the provider.
func explain(err error) string {
	out := &plain.Section{Unit: "line"}
	for _, one := range split(err) {
		if removal, ok := errors.AsType[*engine.RemovalError](one); ok {
			out.Add(fmt.Sprintf("%s could not be removed from %q; run the same destroy or removal again for the rest:", words.Count(len(removal.Objects), "object"),
				model.Name(removal.Cluster)))
			for _, object := range removal.Objects {
				out.Add("  " + model.Name(object.Identifier.String()) + ": " + model.Message(object.Condition.Message))
			}
			continue
		}
		if changed, ok := errors.AsType[*engine.ContradictionError](one); ok {
			out.Add(changed.Title())
			for _, contradiction := range changed.Contradictions {
				out.Add("  " + model.Message(contradiction.String()))
			}
			continue
		}
		out.Add(printable.Cut(one.Error(), maxError))
	}
	return plain.Layout(out)
}

func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var texts []string
	var out []error
	for _, one := range joined.Unwrap() {
		texts = append(texts, one.Error())
		out = append(out, split(one)...)
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err} // err adds text to the joined errors
	}
	return out
}
