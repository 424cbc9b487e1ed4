package manifest

import (
	"errors"
	"fmt"
)

// ParseError says what is wrong with a text of manifests without repeating any of it: the text may hold a Secret.
type ParseError struct {
	// Source names the text for the user: an attribute path, a file name.
	Source string
	// Document counts the documents of the text that are not empty, from 1.
	Document int
	// Err says what is wrong; where a line is known, it names the line of the text, from 1.
	Err error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s: document %d: %v", e.Source, e.Document, e.Err)
}

// Unwrap returns what is wrong.
func (e *ParseError) Unwrap() error { return e.Err }

// maxListDepth bounds how many Lists may stand inside each other.
const maxListDepth = 4

// Parse reads the objects of a YAML or JSON text: one or several documents, of which empty ones are skipped and those of kind List are
// replaced by their items. Each object must name itself: apiVersion, kind and metadata.name. Values are JSON values as unstructured
// objects want them, whole numbers as int64.
//
// Errors are of type *ParseError; where several documents are wrong, they are joined.
func Parse(source, text string) ([]Object, error) {
	documents, err := decodeDocuments(source, text)
	return parseDocuments(source, documents, err)
}

// ParseCanonical is Parse, and returns what Canonical returns for the text as well.
func ParseCanonical(source, text string) (objects []Object, canonical string, err error) {
	documents, err := decodeDocuments(source, text)
	if canonical = text; err == nil {
		canonical, err = canonicalOf(text, documents) // before anybody has the objects
	}
	objects, err = parseDocuments(source, documents, err)
	return objects, canonical, err
}

func parseDocuments(source string, documents []document, err error) ([]Object, error) {
	errs := []error{err}
	var objects []Object
	for _, d := range documents {
		found, err := objectsOf(d.value, 0)
		if err != nil {
			errs = append(errs, &ParseError{Source: source, Document: d.number, Err: err})
			continue
		}
		objects = append(objects, found...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return objects, nil
}

// FromValue makes an object of decoded JSON or YAML, by the rules of Parse. The value is not copied.
func FromValue(value map[string]any) (Object, error) { return newParsedObject(value) }

// objectsOf returns the object of a decoded document, or the items of a List.
func objectsOf(value any, depth int) ([]Object, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("this is not a Kubernetes object but a single value or a list")
	}
	if fields["kind"] != "List" || fields["apiVersion"] != "v1" {
		object, err := newParsedObject(fields)
		if err != nil {
			return nil, err
		}
		return []Object{object}, nil
	}
	items, ok := fields["items"].([]any)
	switch {
	case !ok && fields["items"] != nil:
		return nil, errors.New("items is not a list")
	case depth == maxListDepth:
		return nil, fmt.Errorf("more than %d Lists stand inside each other", maxListDepth)
	}
	var objects []Object
	for i, item := range items {
		found, err := objectsOf(item, depth+1)
		if err != nil {
			return nil, fmt.Errorf("item %d of the List: %w", i+1, err)
		}
		objects = append(objects, found...)
	}
	return objects, nil
}
