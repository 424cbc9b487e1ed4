package manifest

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// yamlProblem matches a problem with its line number, from 1, in the YAML library's errors.
var yamlProblem = regexp.MustCompile(`line (\d+): (.*)$`)

// quotedProblems are the problems whose text in the library's error quotes the document. words is a constant part of this text, and problem replaces the text.
var quotedProblems = []struct{ words, problem string }{
	{"already set in map", "a key is set twice in one mapping"},
	{"unknown anchor", "an alias refers to an anchor that does not exist"},
	{"value contains itself", "an anchor contains itself"},
	{"unsupported map key", "a key is neither a text nor a number"},
	{"invalid map key", "a key is neither a text nor a number"},
	{"cannot decode", "a value does not fit its tag"},
	{"unsupported value", "a number is not finite, which JSON does not support"},
	{"value out of range", "a number is out of range"},
	{"invalid base64 data", "a !!binary value is not base64"},
}

// plainProblems are the problems with a constant text, which can be reported unchanged.
var plainProblems = []string{
	"attempted to go past the end of stream",
	"block sequence entries are not allowed in this context",
	"control characters are not allowed",
	"could not find expected ':'",
	"could not find expected directive name",
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
	"did not find expected '-' indicator",
	"did not find expected <document start>",
	"did not find expected alphabetic or numeric character",
	"did not find expected comment or line break",
	"did not find expected hexdecimal number",
	"did not find expected key",
	"did not find expected node content",
	"did not find expected tag URI",
	"did not find expected whitespace or line break",
	"document contains excessive aliasing",
	"exceeded max depth of 10000",
	"found a tab character that violates indentation",
	"found a tab character where an indentation space is expected",
	"found an indentation indicator equal to 0",
	"found character that cannot start any token",
	"found incompatible YAML document",
	"found invalid Unicode character escape code",
	"found undefined tag handle",
	"found unexpected document indicator",
	"found unexpected end of stream",
	"found unexpected non-alphabetical character",
	"found unknown directive name",
	"found unknown escape character",
	"incomplete UTF-8 octet sequence",
	"invalid leading UTF-8 octet",
	"invalid trailing UTF-8 octet",
	"map merge requires map or sequence of maps as the value",
	"mapping keys are not allowed in this context",
	"mapping values are not allowed in this context",
}

// describeYAMLError returns the problem in an error of the YAML library, without any part of the document, which the library's error may quote. firstLine is the
// line in the text at which the document starts.
func describeYAMLError(err error, firstLine int) error {
	for text := range strings.Lines(err.Error()) {
		text = strings.TrimSpace(text)
		match := yamlProblem.FindStringSubmatch(text)
		if match == nil {
			match = []string{"", "", text}
		}
		problem, known := describeProblem(match[2])
		if !known {
			continue
		}
		if line, err := strconv.Atoi(match[1]); err == nil {
			return errorAtLine(firstLine+line-1, problem)
		}
		return errors.New(problem)
	}
	return errors.New("this is not valid YAML")
}

func describeProblem(text string) (problem string, known bool) {
	for _, quoted := range quotedProblems {
		if strings.Contains(text, quoted.words) {
			return quoted.problem, true
		}
	}
	for _, plain := range plainProblems {
		if strings.HasSuffix(text, plain) {
			return plain, true
		}
	}
	return "", false
}
