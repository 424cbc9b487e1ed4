// Package naming explains in plain words why the name of a Kubernetes object, a label key or a label value is invalid. The rules are those of
// apimachinery, whose own messages quote regular expressions. Each function returns "" for a valid text.
package naming

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The allowed characters, as messages list them.
const (
	lowerCase = "a-z, 0-9 and -"
	dnsName   = "a-z, 0-9, - and dots"
	labelText = "A-Z, a-z, 0-9, -, _ and dots"
)

// Subdomain returns why text is not a DNS subdomain, which is the rule for the names of most kinds.
func Subdomain(text string) string {
	if len(content.IsDNS1123Subdomain(text)) == 0 {
		return ""
	}
	return rule{maxLength: content.DNS1123SubdomainMaxLength, alphabet: dnsName, isAllowed: isDNS}.explain(text)
}

// Label returns why text is not a DNS label, which is a name without dots. The name of a Namespace is a DNS label.
func Label(text string) string {
	if len(content.IsDNS1123Label(text)) == 0 {
		return ""
	}
	return rule{maxLength: content.DNS1123LabelMaxLength, alphabet: lowerCase, isAllowed: isLowerCase}.explain(text)
}

// LabelKey returns why text is not a valid key of a label, an annotation or a taint. A key is NAME or PREFIX/NAME; the prefix is a DNS name.
func LabelKey(text string) string {
	if len(content.IsLabelKey(text)) == 0 {
		return ""
	}
	prefix, name, found := strings.Cut(text, "/")
	switch {
	case !found:
		return labelRule.explain(text)
	case strings.Contains(name, "/"):
		return "it has more than one /: write it as PREFIX/NAME"
	case Subdomain(prefix) != "":
		return "the part before / must be a DNS name: " + Subdomain(prefix)
	default:
		return "the part after /: " + labelRule.explain(name)
	}
}

// LabelValue returns why text is not a valid value of a label or a taint.
func LabelValue(text string) string {
	if len(content.IsLabelValue(text)) == 0 {
		return ""
	}
	return labelRule.explain(text)
}

// PathSegment returns why text cannot be a segment of a request's path. The names of all objects must be such segments.
func PathSegment(text string) string {
	if len(content.IsPathSegmentName(text)) == 0 {
		return ""
	}
	return "it cannot be . or .., and cannot contain / or %"
}

// ConfigMapKey returns why text is not a valid key of a ConfigMap.
func ConfigMapKey(text string) string {
	if len(validation.IsConfigMapKey(text)) == 0 {
		return ""
	}
	if strings.HasPrefix(text, "..") || text == "." {
		return "it cannot be . and cannot begin with two dots"
	}
	return rule{maxLength: content.DNS1123SubdomainMaxLength, alphabet: labelText, isAllowed: isLabelText, hasAnyEnds: true}.explain(text)
}

var labelRule = rule{maxLength: content.LabelValueMaxLength, alphabet: labelText, isAllowed: isLabelText}

type rule struct {
	// maxLength is the maximum number of characters. Each allowed character is one byte.
	maxLength int
	alphabet  string
	isAllowed func(rune) bool
	// hasAnyEnds reports that the text can begin and end with every allowed character.
	hasAnyEnds bool
}

func (r rule) explain(text string) string {
	var out []string
	if length := utf8.RuneCountInString(text); length > r.maxLength {
		out = append(out, fmt.Sprintf("it has %d characters, and at most %d are allowed", length, r.maxLength))
	}
	switch {
	case text == "":
		return "it is empty"
	case strings.ContainsFunc(text, func(c rune) bool { return !r.isAllowed(c) }):
		out = append(out, "use "+r.alphabet)
	case r.hasAnyEnds:
	case isLetterOrDigit(text[0]) && isLetterOrDigit(text[len(text)-1]):
		if len(out) == 0 {
			out = append(out, "begin and end each part between dots with a letter or a digit")
		}
	default:
		out = append(out, "begin and end it with a letter or a digit")
	}
	return strings.Join(out, "; ")
}

func isLowerCase(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-'
}

func isDNS(c rune) bool { return isLowerCase(c) || c == '.' }

func isLabelText(c rune) bool { return isDNS(c) || 'A' <= c && c <= 'Z' || c == '_' }

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
