package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

type document struct {
	// number is the number of the document from 1, without empty documents.
	number int
	value  any
	text   string
}

// decodeDocuments splits a text at its separators and decodes each document that is not empty. It joins the errors of
// all documents, which are of type *ParseError.
func decodeDocuments(source, text string) ([]document, error) {
	if !strings.HasSuffix(text, "\n") {
		// If the last line has no newline and fills the reader's buffer exactly, the reader drops the line.
		text += "\n"
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	var documents []document
	var errs []error
	number, line := 0, 1
	for {
		chunk, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, errors.Join(errs...)
		}
		if err != nil {
			// The reader cannot continue after an invalid separator. Its error quotes the line, which may be secret.
			err = errors.New("a line that starts with \"---\" can contain only a comment")
			return nil, errors.Join(append(errs, &ParseError{Source: source, Document: number + 1, Err: err})...)
		}
		value, err := decodeDocument(chunk, line)
		// The reader has also consumed the separator after the document.
		line += bytes.Count(chunk, []byte{'\n'}) + 1
		if err == nil && value == nil {
			continue
		}
		number++
		if err != nil {
			if bytes.Contains(chunk, []byte("{{")) {
				err = fmt.Errorf("%w; it looks like a template, such as a Helm template: render it first", err)
			}
			errs = append(errs, &ParseError{Source: source, Document: number, Err: err})
			continue
		}
		documents = append(documents, document{number: number, value: value, text: string(chunk)})
	}
}

// decodeDocument decodes one document to JSON values with integers as int64, or nil for an empty document. firstLine is the line in the text
// at which the document starts.
func decodeDocument(chunk []byte, firstLine int) (any, error) {
	// JSON is almost valid YAML, except for tabs and the escapes of characters beyond 16 bits.
	if utilyaml.IsJSONBuffer(chunk) && json.Valid(chunk) {
		return decodeJSON(chunk, firstLine)
	}
	if line, found := findTrailingContent(chunk); found {
		return nil, errorAtLine(firstLine+line, "a document end marker \"...\" must be followed by a separator \"---\"")
	}
	if err := checkExpansion(chunk, firstLine); err != nil {
		return nil, err
	}
	var value any
	if err := utilyaml.UnmarshalStrict(chunk, &value); err != nil {
		return nil, describeYAMLError(err, firstLine)
	}
	return value, nil
}

func decodeJSON(chunk []byte, firstLine int) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(chunk))
	decoder.UseNumber()
	if offset, found := findDuplicateKey(decoder); found {
		line := bytes.Count(chunk[:offset], []byte{'\n'})
		return nil, errorAtLine(firstLine+line, "a key is set twice in one object")
	}
	var value any
	if err := utiljson.Unmarshal(chunk, &value); err != nil {
		return nil, errors.New("a number is out of range")
	}
	return value, nil
}

// findDuplicateKey reads one valid JSON value and returns the offset after the first duplicate key of an object. JSON decoders either ignore duplicates or
// report them with their values.
func findDuplicateKey(decoder *json.Decoder) (offset int64, found bool) {
	token, err := decoder.Token()
	if err != nil {
		return 0, false
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return 0, false
	}
	seen := map[string]bool{}
	for decoder.More() {
		if delim == '{' {
			key, _ := decoder.Token()
			name, _ := key.(string)
			if seen[name] {
				return decoder.InputOffset(), true
			}
			seen[name] = true
		}
		if offset, found := findDuplicateKey(decoder); found {
			return offset, true
		}
	}
	_, _ = decoder.Token()
	return 0, false
}

// findTrailingContent finds content after a document end marker, which the YAML library would silently drop. line is the
// number of lines before this content.
func findTrailingContent(chunk []byte) (line int, found bool) {
	ended := false
	for i, text := range strings.Split(string(chunk), "\n") {
		rest, marker := strings.CutPrefix(text, "...")
		marker = marker && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
		if marker {
			ended = true
			text = rest
		}
		if text = strings.TrimSpace(text); ended && text != "" && text[0] != '#' {
			return i, true
		}
	}
	return 0, false
}

func errorAtLine(line int, problem string) error {
	return fmt.Errorf("line %d: %s", line, problem)
}
