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

// document is one YAML document of a text.
type document struct {
	// number counts the documents that are not empty, from 1.
	number int
	value  any
	// text is the document as it is written.
	text string
}

// decodeDocuments splits a text at its separators and decodes every document that is not empty. The errors are of type *ParseError, all
// of them and not only the first, joined.
func decodeDocuments(source, text string) ([]document, error) {
	if !strings.HasSuffix(text, "\n") {
		// The reader drops a last line that fills its buffer exactly and does not end.
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
			// The reader stops for good at a separator that it does not understand, and its error repeats that line.
			err = errors.New(`a line that starts with "---" may hold nothing else but a comment`)
			return nil, errors.Join(append(errs, &ParseError{Source: source, Document: number + 1, Err: err})...)
		}
		value, err := decodeDocument(chunk, line)
		// The reader hands out a document after it has swallowed the separator below.
		line += bytes.Count(chunk, []byte{'\n'}) + 1
		if err == nil && value == nil {
			continue
		}
		number++
		if err != nil {
			if bytes.Contains(chunk, []byte("{{")) {
				err = fmt.Errorf("%w; it looks like a template (of Helm, say), which has to be rendered first", err)
			}
			errs = append(errs, &ParseError{Source: source, Document: number, Err: err})
			continue
		}
		documents = append(documents, document{number: number, value: value, text: string(chunk)})
	}
}

// decodeDocument decodes one document into JSON values, with whole numbers as int64; nil for an empty one. firstLine is the line of the
// text at which the document starts.
func decodeDocument(chunk []byte, firstLine int) (any, error) {
	// JSON is nearly YAML, but tabs and the escapes of characters beyond 16 bits are not.
	if utilyaml.IsJSONBuffer(chunk) && json.Valid(chunk) {
		return decodeJSON(chunk, firstLine)
	}
	if line, found := trailingContent(chunk); found {
		return nil, atLine(firstLine+line, `a document end marker "..." has to be followed by a separator "---"`)
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
	if offset, found := duplicateKey(decoder); found {
		line := bytes.Count(chunk[:offset], []byte{'\n'})
		return nil, atLine(firstLine+line, "a key is set twice in one object")
	}
	var value any
	if err := utiljson.Unmarshal(chunk, &value); err != nil {
		return nil, errors.New("a number is out of range")
	}
	return value, nil
}

// duplicateKey walks one valid JSON value and returns the offset behind the first key that its object has already. The JSON decoders at
// hand either ignore duplicates or name them with their values.
func duplicateKey(decoder *json.Decoder) (offset int64, found bool) {
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
		if offset, found := duplicateKey(decoder); found {
			return offset, true
		}
	}
	_, _ = decoder.Token() // the closing bracket
	return 0, false
}

// trailingContent finds content behind a document end marker, which the YAML library would drop without a word. It returns how many
// lines stand before it.
func trailingContent(chunk []byte) (line int, found bool) {
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

func atLine(line int, problem string) error {
	return fmt.Errorf("line %d: %s", line, problem)
}
