// Package validate creates framework validators from functions that check names, texts and numbers. The messages of the framework's own validators
// are not sentences.
package validate

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// String returns a validator. check returns the problem of a value, or "". what names the value in a sentence, such as "name".
func String(what string, check func(string) string) validator.String {
	return stringValidator{what: what, check: check}
}

// ObjectName accepts names that are valid for every kind.
func ObjectName() validator.String {
	return String("name of a Kubernetes object", naming.Subdomain)
}

// ShortName accepts names that are valid for every kind and as the value of a label.
func ShortName() validator.String {
	return String("name of a Kubernetes object", func(text string) string {
		if length, limit := utf8.RuneCountInString(text), validation.LabelValueMaxLength; length > limit {
			return formatTooLong(length, "characters", limit) + ", because it is also the value of a label"
		}
		return naming.Subdomain(text)
	})
}

// AnyObjectName accepts names that are valid for at least one kind: all texts that can be a segment of a request path.
func AnyObjectName() validator.String {
	return String("name of a Kubernetes object", func(text string) string {
		if text == "" {
			return emptyMessage
		}
		return naming.PathSegment(text)
	})
}

// Namespace accepts names of namespaces.
func Namespace() validator.String { return String("name of a namespace", naming.Label) }

// PlacedNamespace accepts names of namespaces in which objects can be placed. It rejects those that KubeFleet and Kubernetes reserve.
func PlacedNamespace() []validator.String {
	return []validator.String{Namespace(), String("namespace of placed objects", func(text string) string {
		if selection.ReservedContent(text) {
			return "it is reserved for the cluster or the fleet, and nothing in it is placed"
		}
		return ""
	})}
}

// Filled accepts texts that are not empty. what names the text in a sentence, such as "kind".
func Filled(what string) validator.String {
	return String(what, func(text string) string {
		if text == "" {
			return emptyMessage
		}
		return ""
	})
}

// FieldManager accepts the names that the API server accepts, except the empty one (ValidateFieldManager of apimachinery).
func FieldManager() validator.String {
	return String("name of a field manager", func(text string) string {
		length, limit := len(text), metavalidation.FieldManagerMaxLength
		switch {
		case text == "":
			return emptyMessage
		case length > limit && utf8.RuneCountInString(text) < length:
			return formatTooLong(length, "bytes", limit)
		case length > limit:
			return formatTooLong(length, "characters", limit)
		case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
			return "it has a character that is not printable"
		}
		return ""
	})
}

const emptyMessage = "it is empty"

func formatTooLong(length int, unit string, limit int) string {
	return fmt.Sprintf("it has %d %s, and at most %d are allowed", length, unit, limit)
}

// Duration returns the problem of a text that is not a positive duration, or "".
func Duration(text string) string {
	switch length, err := time.ParseDuration(text); {
	case err != nil:
		return `it must be a number with a unit, such as "90s", "30m" or "2h"`
	case length <= 0:
		return "it must be longer than zero"
	default:
		return ""
	}
}

// LabelSelector returns the problem of a text that kubectl does not accept with -l, or "".
func LabelSelector(text string) string {
	if _, err := labels.Parse(text); err != nil {
		return err.Error()
	}
	return ""
}

type stringValidator struct {
	what  string
	check func(string) string
}

func (v stringValidator) Description(context.Context) string { return "must be a valid " + v.what }
func (v stringValidator) MarkdownDescription(context.Context) string {
	return "must be a valid " + v.what
}

func (v stringValidator) ValidateString(_ context.Context, request validator.StringRequest, response *validator.StringResponse) {
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
