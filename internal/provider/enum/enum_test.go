package enum

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type (
	one   string
	three string
)

func (one) Values() []string   { return []string{"a"} }
func (three) Values() []string { return []string{"a", "b", "c"} }

func TestDescriptions(t *testing.T) {
	for got, want := range map[string]string{
		OneOf[one](): "`a`", OneOf[three](): "`a`, `b` or `c`",
		OneOfWithDefault[one](): "`a` (the default)", OneOfWithDefault[three](): "`a` (the default), `b` or `c`",
	} {
		if got != want {
			t.Errorf("%s instead of %s", got, want)
		}
	}
}

func TestValidators(t *testing.T) {
	for value, want := range map[string]string{
		"a": "", "c": "", "alias": "", "": `"" is not one of the values of wait.until: "a", "b" or "c".`,
		"d": `"d" is not one of the values of wait.until: "a", "b" or "c".`, "A": `"A" is not a value of wait.until: it is spelled "a".`,
	} {
		var response validator.StringResponse
		for _, v := range Validators[three]("alias") {
			v.ValidateString(t.Context(), validator.StringRequest{ConfigValue: types.StringValue(value), Path: path.Root("wait").AtName("until")}, &response)
		}
		if got := response.Diagnostics; got.HasError() != (want != "") || want != "" && !strings.Contains(got[0].Detail(), want) {
			t.Errorf("%q: %v", value, got)
		}
	}
}

// TestPosition checks that a diagnostic is at the attribute of the resource, because Terraform shows no source line for anything below it.
func TestPosition(t *testing.T) {
	at := path.Root("wait").AtName("until")
	var response validator.StringResponse
	for _, v := range Validators[three]() {
		v.ValidateString(t.Context(), validator.StringRequest{ConfigValue: types.StringValue("d"), Path: at}, &response)
	}
	if len(response.Diagnostics) != 1 {
		t.Fatal(response.Diagnostics)
	}
	d, ok := response.Diagnostics[0].(diag.DiagnosticWithPath)
	if !ok || !d.Path().Equal(path.Root("wait")) || !strings.Contains(d.Detail(), "wait.until") {
		t.Error(response.Diagnostics)
	}
}
