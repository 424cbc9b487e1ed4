// Package html writes reports as one page that needs no network: [Pack] returns the data of a preview, and [Page] the page of several previews.
//
// The page contains the data as JSON, a style and a script. Its content security policy allows only these. The script sets all texts as text nodes.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"
)

//go:embed page.html page.css *.js
var files embed.FS

// scripts are in the order in which they run.
var scripts = []string{"actions.js", "data.js", "element.js", "filter.js", "details.js", "matrix.js", "summary.js", "print.js", "main.js"}

// A PreviewError is an invalid element of the previews.
type PreviewError struct {
	Index int
	Err   error
}

func (e *PreviewError) Error() string {
	return fmt.Sprintf("the element %d is invalid: %v", e.Index, e.Err)
}

func (e *PreviewError) Unwrap() error { return e.Err }

// Page returns the page of previews, each in the form of [Pack]. It returns a [PreviewError] if one of them is invalid.
func Page(previews []string) (string, error) {
	documents := make([]*document, len(previews))
	for i, text := range previews {
		var err error
		if documents[i], err = parse(text); err != nil {
			return "", &PreviewError{Index: i, Err: err}
		}
	}
	data, err := encode(documents)
	if err != nil {
		return "", err
	}
	page, err := files.ReadFile("page.html")
	if err != nil {
		return "", err
	}
	style, err := files.ReadFile("page.css")
	if err != nil {
		return "", err
	}
	script, err := readScript()
	if err != nil {
		return "", err
	}
	return strings.NewReplacer(
		"STYLE_HASH", hash(string(style)), "SCRIPT_HASH", hash(script), "STYLE_TEXT", string(style), "SCRIPT_TEXT", script, "DATA_TEXT", data,
	).Replace(string(page)), nil
}

// readScript joins the scripts in one function, so that the names that they declare are not global.
func readScript() (string, error) {
	var b strings.Builder
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range scripts {
		text, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String() + "})();\n", nil
}

// hash returns the source expression of a content security policy that allows an inline element with the text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
