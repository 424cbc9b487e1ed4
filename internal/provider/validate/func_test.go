package validate

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{"90s": "", "2h": "", "-5m": "longer than zero", "0s": "longer than zero", "soon": "a number with a unit", "10": "a number with a unit"} {
		var response validator.StringResponse
		String("time", Duration).ValidateString(t.Context(), validator.StringRequest{
			Path: path.Root("timeouts").AtName("create"), ConfigValue: types.StringValue(text),
		}, &response)
		switch {
		case want == "" && response.Diagnostics.HasError(), want != "" && len(response.Diagnostics) != 1:
			t.Errorf("%s: %v", text, response.Diagnostics)
		case want != "" && (!strings.Contains(response.Diagnostics[0].Detail(), want) || !strings.HasPrefix(response.Diagnostics[0].Detail(), "timeouts.create: ")):
			t.Errorf("%s: %v", text, response.Diagnostics)
		}
	}
}

// TestMessages checks that each message is a sentence about the problem.
func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		of         validator.String
		text, want string
	}{
		"name":              {ObjectName(), "My_Web", `"My_Web" is not a valid name of a Kubernetes object: use a-z, 0-9, - and dots.`},
		"any name":          {AnyObjectName(), "a/b", `"a/b" is not a valid name of a Kubernetes object: it cannot be . or .., and cannot contain / or %.`},
		"no name":           {AnyObjectName(), "", `"" is not a valid name of a Kubernetes object: it is empty.`},
		"role":              {AnyObjectName(), "system:admin", ""},
		"namespace":         {Namespace(), "a.b", `"a.b" is not a valid name of a namespace: use a-z, 0-9 and -.`},
		"63 characters":     {ShortName(), strings.Repeat("a", 63), ""},
		"64 characters":     {ShortName(), strings.Repeat("a", 64), "it has 64 characters, and at most 63 are allowed, because it is also the value of a label."},
		"filled":            {Filled("kind"), "a", ""},
		"empty":             {Filled("kind"), "", `"" is not a valid kind: it is empty.`},
		"manager":           {FieldManager(), strings.Repeat("m", 128), ""},
		"too long":          {FieldManager(), strings.Repeat("m", 129), "it has 129 characters, and at most 128 are allowed."},
		"too many bytes":    {FieldManager(), strings.Repeat("ä", 65), "it has 130 bytes, and at most 128 are allowed."},
		"not printable":     {FieldManager(), "a\u202eb", "it has a character that is not printable."},
		"not a character":   {ShortName(), strings.Repeat("ä", 40), "use a-z, 0-9, - and dots."},
		"empty but bounded": {FieldManager(), "", "it is empty."},
	} {
		var response validator.StringResponse
		c.of.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("name"), ConfigValue: types.StringValue(c.text)}, &response)
		check(t, name, response.Diagnostics, c.want)
	}
}

// check checks that there is one diagnostic whose detail ends with want, or none if want is "".
func check(t *testing.T, name string, got diag.Diagnostics, want string) {
	t.Helper()
	if (want == "") != (len(got) == 0) || want != "" && (len(got) != 1 || !strings.HasSuffix(got[0].Detail(), want)) {
		t.Errorf("%s: %v, want %q", name, got, want)
	}
}

func TestAtLeast(t *testing.T) {
	for value, want := range map[int32]string{600: "", 5: "spec.seconds is 5. It must be 600 or more."} {
		var response validator.Int32Response
		AtLeast(600).ValidateInt32(t.Context(), validator.Int32Request{Path: path.Root("spec").AtName("seconds"), ConfigValue: types.Int32Value(value)}, &response)
		check(t, "", response.Diagnostics, want)
	}
}

func TestChoice(t *testing.T) {
	for want, texts := range map[string][]string{
		"": {"a"}, `kinds[1]: "" is not a valid kind: it is empty.`: {"a", ""},
		"kinds is empty, so nothing is selected. Add at least one element, or omit the argument to use its default.": {},
	} {
		list, diags := types.ListValueFrom(t.Context(), types.StringType, texts)
		response := validator.ListResponse{Diagnostics: diags}
		Choice(Filled("kind")).ValidateList(t.Context(), validator.ListRequest{Path: path.Root("kinds"), ConfigValue: list}, &response)
		check(t, "", response.Diagnostics, want)
	}
}
