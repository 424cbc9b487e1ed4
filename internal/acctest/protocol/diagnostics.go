package protocol

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// diagnostics are the errors and warnings of a run, in the order in which Terraform would receive them.
type diagnostics struct {
	texts  []string
	failed bool
}

// addProvider adds the provider's diagnostics for a block. ok is false if one of them is an error.
func (d *diagnostics) addProvider(address string, found []*tfprotov6.Diagnostic) (ok bool) {
	ok = true
	for _, one := range found {
		d.texts = append(d.texts, format(address, one))
		ok = ok && one.Severity != tfprotov6.DiagnosticSeverityError
	}
	d.failed = d.failed || !ok
	return ok
}

// addConfiguration adds the diagnostics for the text of a configuration. ok is false if one of them is an error.
func (d *diagnostics) addConfiguration(address string, found hcl.Diagnostics) (ok bool) {
	for _, one := range found {
		severity := tfprotov6.DiagnosticSeverityError
		if one.Severity == hcl.DiagWarning {
			severity = tfprotov6.DiagnosticSeverityWarning
		}
		d.addProvider(address, []*tfprotov6.Diagnostic{{Severity: severity, Summary: one.Summary, Detail: one.Detail}})
	}
	return !found.HasErrors()
}

// error adds an error.
func (d *diagnostics) error(address, summary, detail string) {
	d.addProvider(address, []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}})
}

// addError adds the error of a call to the provider, unless err is nil. ok is false if there is an error.
func (d *diagnostics) addError(address string, err error) (ok bool) {
	if err != nil {
		d.error(address, "The call of the provider failed", err.Error())
	}
	return err == nil
}

// format returns a diagnostic as Terraform prints it, without the frame and the lines of the configuration. It does not wrap lines.
func format(address string, d *tfprotov6.Diagnostic) string {
	var b strings.Builder
	title := "Error"
	if d.Severity == tfprotov6.DiagnosticSeverityWarning {
		title = "Warning"
	}
	fmt.Fprintf(&b, "%s: %s\n\n", title, d.Summary)
	if address != "" {
		fmt.Fprintf(&b, "  with %s,\n", address)
	}
	if at := convert.PathText(d.Attribute); at != "" {
		fmt.Fprintf(&b, "  on %s\n", at)
	}
	fmt.Fprintf(&b, "\n%s\n", d.Detail)
	return b.String()
}
