// Package enum describes and checks attributes of which only some values are legal, by the values that their type lists.
package enum

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Enumeration is a text that lists its values in the order in which they are documented, the default first if there is one.
type Enumeration interface {
	~string
	Values() []string
}

// Validators accept the values of an enumeration, and further ones that mean the same.
func Validators[T Enumeration](aliases ...string) []validator.String {
	return []validator.String{oneOf{stringvalidator.OneOf(slices.Concat(values[T](), aliases)...)}}
}

// oneOf tells at the attribute of the resource what is wrong below it. The text has the whole path.
type oneOf struct{ validator.String }

func (v oneOf) ValidateString(ctx context.Context, request validator.StringRequest, response *validator.StringResponse) {
	var found validator.StringResponse
	v.String.ValidateString(ctx, request, &found)
	for _, d := range found.Diagnostics {
		response.Diagnostics.AddAttributeError(convert.First(request.Path), d.Summary(), d.Detail())
	}
}

// OneOf lists the values in Markdown.
func OneOf[T Enumeration]() string { return join(quoted(values[T]())) }

// OneOfWithDefault lists the values in Markdown and says that the first is the default.
func OneOfWithDefault[T Enumeration]() string {
	all := quoted(values[T]())
	all[0] += " (the default)"
	return join(all)
}

func values[T Enumeration]() []string {
	var zero T
	return zero.Values()
}

func quoted(values []string) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = "`" + value + "`"
	}
	return out
}

func join(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
