// Package enum describes and validates attributes that are enumerations, by the values that their type lists.
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

// Enumeration is a text type that lists its values in the order in which they are documented. If there is a default, it is the first.
type Enumeration interface {
	~string
	Values() []string
}

// Validators returns validators that accept the values of an enumeration, and the given aliases of these values.
func Validators[T Enumeration](aliases ...string) []validator.String {
	return []validator.String{oneOf{values: values[T](), aliases: aliases}}
}

// oneOf reports a problem at the attribute of the resource. The text of the problem has the whole path.
type oneOf struct{ values, aliases []string }

func (v oneOf) Description(context.Context) string {
	return "one of " + quoteAll(slices.Concat(v.values, v.aliases))
}

func (v oneOf) MarkdownDescription(context.Context) string { return joinWords(formatCode(v.values)) }

func (v oneOf) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
	given := request.ConfigValue
	if given.IsNull() || given.IsUnknown() || slices.Contains(v.values, given.ValueString()) || slices.Contains(v.aliases, given.ValueString()) {
		return
	}
	text := fmt.Sprintf("%q is not one of the values of %s: %s.", given.ValueString(), request.Path, quoteAll(v.values))
	for _, value := range v.values {
		if strings.EqualFold(value, given.ValueString()) {
			text = fmt.Sprintf("%q is not a value of %s: it is spelled %q.", given.ValueString(), request.Path, value)
		}
	}
	response.Diagnostics.AddAttributeError(convert.First(request.Path), "No such value of "+request.Path.String(), text)
}

func quoteAll(values []string) string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = strconv.Quote(value)
	}
	return joinWords(out)
}

// OneOf lists the values in Markdown.
func OneOf[T Enumeration]() string { return joinWords(formatCode(values[T]())) }

// OneOfWithDefault lists the values in Markdown and marks the first as the default.
func OneOfWithDefault[T Enumeration]() string {
	all := formatCode(values[T]())
	all[0] += " (the default)"
	return joinWords(all)
}

func values[T Enumeration]() []string {
	var zero T
	return zero.Values()
}

func formatCode(values []string) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = "`" + value + "`"
	}
	return out
}

func joinWords(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
