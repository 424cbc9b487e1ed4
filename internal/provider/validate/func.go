// Package validate makes framework validators of the functions that Kubernetes' libraries check names and values with.
package validate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// String makes a validator of a function that returns what is wrong with a value. what names the value in a sentence: "name".
func String(what string, check func(string) []string) validator.String {
	return stringFunc{what: what, check: check}
}

// ObjectName accepts names that every kind accepts.
func ObjectName() validator.String {
	return String("name of a Kubernetes object", validation.IsDNS1123Subdomain)
}

// ShortName accepts names that every kind accepts and that a label can hold.
func ShortName() validator.String {
	return String("name of a Kubernetes object", func(text string) []string {
		problems := validation.IsDNS1123Subdomain(text)
		if most := validation.LabelValueMaxLength; len(text) > most {
			problems = append(problems, fmt.Sprintf("it has %d characters, and may have %d, because labels hold it", len(text), most))
		}
		return problems
	})
}

// AnyObjectName accepts names that some kind accepts: what can be a part of a request's path.
func AnyObjectName() validator.String {
	return String("name of a Kubernetes object", content.IsPathSegmentName)
}

// Namespace accepts names of namespaces.
func Namespace() validator.String { return String("name of a namespace", validation.IsDNS1123Label) }

// Duration accepts lengths of time that something can be done in.
func Duration(text string) []string {
	switch length, err := time.ParseDuration(text); {
	case err != nil:
		return []string{`it is a number with a unit, such as "90s", "30m" or "2h"`}
	case length <= 0:
		return []string{"it must be longer than zero"}
	default:
		return nil
	}
}

// LabelSelector accepts what kubectl takes with -l.
func LabelSelector(text string) []string {
	if _, err := labels.Parse(text); err != nil {
		return []string{err.Error()}
	}
	return nil
}

type stringFunc struct {
	what  string
	check func(string) []string
}

func (v stringFunc) Description(context.Context) string         { return "must be a valid " + v.what }
func (v stringFunc) MarkdownDescription(context.Context) string { return "must be a valid " + v.what }

func (v stringFunc) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() {
		return
	}
	value := request.ConfigValue.ValueString()
	if problems := v.check(value); len(problems) > 0 {
		at, where := convert.First(request.Path), ""
		if !at.Equal(request.Path) {
			where = request.Path.String() + ": "
		}
		response.Diagnostics.AddAttributeError(at, "Invalid "+v.what,
			fmt.Sprintf("%s%q is not a valid %s: %s.", where, value, v.what, strings.Join(problems, "; ")))
	}
}
