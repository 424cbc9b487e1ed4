// Package validate makes framework validators of functions that check names, texts and numbers. The framework's own validators do not name what is wrong
// in a sentence.
package validate

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// String makes a validator of a function that returns what is wrong with a value, "" for nothing. what names the value in a sentence: "name".
func String(what string, check func(string) string) validator.String {
	return stringFunc{what: what, check: check}
}

// ObjectName accepts names that every kind accepts.
func ObjectName() validator.String {
	return String("name of a Kubernetes object", naming.Subdomain)
}

// ShortName accepts names that every kind accepts and that a label can hold.
func ShortName() validator.String {
	return String("name of a Kubernetes object", func(text string) string {
		if most := validation.LabelValueMaxLength; len(text) > most {
			return tooLong(text, most) + ", because labels hold it"
		}
		return naming.Subdomain(text)
	})
}

// AnyObjectName accepts names that some kind accepts: what can be a part of a request's path.
func AnyObjectName() validator.String {
	return String("name of a Kubernetes object", func(text string) string {
		if text == "" {
			return empty
		}
		return naming.PathSegment(text)
	})
}

// Namespace accepts names of namespaces.
func Namespace() validator.String { return String("name of a namespace", naming.Label) }

// PlacedNamespace accepts names of namespaces in which objects can be placed: not those of the cluster and of the fleet.
func PlacedNamespace() []validator.String {
	return []validator.String{Namespace(), String("namespace of placed objects", func(text string) string {
		if selection.ReservedContent(text) {
			return "it is reserved for the cluster or the fleet, and nothing in it is placed"
		}
		return ""
	})}
}

// Filled accepts every text that is not empty. what names the text in a sentence: "kind".
func Filled(what string) validator.String {
	return Length(what, math.MaxInt)
}

// Length accepts texts that are not empty and have at most so many characters.
func Length(what string, most int) validator.String {
	return String(what, func(text string) string {
		switch {
		case text == "":
			return empty
		case len(text) > most:
			return tooLong(text, most)
		default:
			return ""
		}
	})
}

const empty = "it is empty"

func tooLong(text string, most int) string {
	return fmt.Sprintf("it has %d characters, and may have %d", len(text), most)
}

// Duration accepts lengths of time that something can be done in.
func Duration(text string) string {
	switch length, err := time.ParseDuration(text); {
	case err != nil:
		return `it is a number with a unit, such as "90s", "30m" or "2h"`
	case length <= 0:
		return "it must be longer than zero"
	default:
		return ""
	}
}

// LabelSelector accepts what kubectl takes with -l.
func LabelSelector(text string) string {
	if _, err := labels.Parse(text); err != nil {
		return err.Error()
	}
	return ""
}

type stringFunc struct {
	what  string
	check func(string) string
}

func (v stringFunc) Description(context.Context) string         { return "must be a valid " + v.what }
func (v stringFunc) MarkdownDescription(context.Context) string { return "must be a valid " + v.what }

func (v stringFunc) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() {
		return
	}
	value := request.ConfigValue.ValueString()
	if problem := v.check(value); problem != "" {
		at, where := convert.First(request.Path), ""
		if !at.Equal(request.Path) {
			where = request.Path.String() + ": "
		}
		response.Diagnostics.AddAttributeError(at, "Invalid "+v.what,
			fmt.Sprintf("%s%q is not a valid %s: %s.", where, value, v.what, problem))
	}
}
