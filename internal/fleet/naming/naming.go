// Package naming reports in plain words what is wrong with the name of a Kubernetes object, a label key or a label value. The rules are those of
// apimachinery, whose own messages quote regular expressions.
package naming

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The characters that a text may consist of, as messages list them.
const (
	lowerCase = "a-z, 0-9 and -"
	dnsName   = "a-z, 0-9, - and dots"
	labelText = "A-Z, a-z, 0-9, -, _ and dots"
)

// Subdomain reports what is wrong with the name of an object, as most kinds require it: a DNS name. The message is empty for a valid name.
func Subdomain(text string) string {
	if len(content.IsDNS1123Subdomain(text)) == 0 {
		return ""
	}
	return rule{most: content.DNS1123SubdomainMaxLength, alphabet: dnsName, allowed: isDNS}.explain(text)
}

// Label reports what is wrong with a name without dots, such as the name of a Namespace.
func Label(text string) string {
	if len(content.IsDNS1123Label(text)) == 0 {
		return ""
	}
	return rule{most: content.DNS1123LabelMaxLength, alphabet: lowerCase, allowed: isLowerCase}.explain(text)
}

// LabelKey reports what is wrong with the key of a label, an annotation or a taint: a name, or a DNS name and a name with a slash between them.
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
		return "the part before / is a DNS name: " + Subdomain(prefix)
	default:
		return "the part after /: " + labelRule.explain(name)
	}
}

// LabelValue reports what is wrong with the value of a label or a taint.
func LabelValue(text string) string {
	if len(content.IsLabelValue(text)) == 0 {
		return ""
	}
	return labelRule.explain(text)
}

// PathSegment reports what is wrong with the name of an object of any kind: what cannot be a part of a request's path.
func PathSegment(text string) string {
	if len(content.IsPathSegmentName(text)) == 0 {
		return ""
	}
	return "it cannot be . or .., and cannot contain / or %"
}

// ConfigMapKey reports what is wrong with a key of a ConfigMap.
func ConfigMapKey(text string) string {
	if len(validation.IsConfigMapKey(text)) == 0 {
		return ""
	}
	if strings.HasPrefix(text, "..") || text == "." {
		return "it cannot be . and cannot begin with two dots"
	}
	return rule{most: content.DNS1123SubdomainMaxLength, alphabet: labelText, allowed: isLabelText}.explain(text)
}

// labelRule is that of label values and of the names in label keys.
var labelRule = rule{most: content.LabelValueMaxLength, alphabet: labelText, allowed: isLabelText}

// rule says what a text may consist of.
type rule struct {
	// most is the largest number of bytes.
	most     int
	alphabet string
	allowed  func(rune) bool
}

// explain returns what is wrong with a text that breaks the rule.
func (r rule) explain(text string) string {
	var out []string
	if len(text) > r.most {
		out = append(out, fmt.Sprintf("it has %d characters, and may have %d", len(text), r.most))
	}
	switch {
	case text == "":
		return "it is empty"
	case strings.ContainsFunc(text, func(c rune) bool { return !r.allowed(c) }):
		out = append(out, "use "+r.alphabet)
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
