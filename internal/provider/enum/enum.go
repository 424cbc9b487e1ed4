// Package enum describes and checks attributes of which only some values are legal, by the values that their type lists.
package enum

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	return []validator.String{oneOf{values: values[T](), aliases: aliases}}
}

// oneOf tells at the attribute of the resource what is wrong below it. The text has the whole path.
type oneOf struct{ values, aliases []string }

func (v oneOf) Description(context.Context) string {
	return "one of " + listed(slices.Concat(v.values, v.aliases))
}

func (v oneOf) MarkdownDescription(context.Context) string { return join(quoted(v.values)) }

func (v oneOf) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
	given := request.ConfigValue
	if given.IsNull() || given.IsUnknown() || slices.Contains(v.values, given.ValueString()) || slices.Contains(v.aliases, given.ValueString()) {
		return
	}
	text := fmt.Sprintf("%q is not one of the values of %s: %s.", given.ValueString(), request.Path, listed(v.values))
	for _, value := range v.values {
		if strings.EqualFold(value, given.ValueString()) {
			text = fmt.Sprintf("%q is not a value of %s: it is spelled %q.", given.ValueString(), request.Path, value)
		}
	}
	response.Diagnostics.AddAttributeError(convert.First(request.Path), "No such value of "+request.Path.String(), text)
}

// listed are the values as they are written in a configuration.
func listed(values []string) string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = strconv.Quote(value)
	}
	return join(out)
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
