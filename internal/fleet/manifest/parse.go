package manifest

import (
	"errors"
	"fmt"
)

// ParseError is returned for an invalid text of manifests. It quotes no part of the text, because the text may contain a Secret.
type ParseError struct {
	// Source describes the text to the user: an attribute path, a file name.
	Source string
	// Document is the number of the document from 1, without empty documents.
	Document int
	// Err is the problem. If the line is known, the message contains its number in the text, from 1.
	Err error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%s: document %d: %v", e.Source, e.Document, e.Err)
}

// Unwrap returns the problem.
func (e *ParseError) Unwrap() error { return e.Err }

const maxListDepth = 4

// Parse parses the objects of a YAML or JSON text with one or more documents. It skips empty documents, and replaces a List by its items. Each
// object must have apiVersion, kind and metadata.name. Values are JSON values as in unstructured objects, with integers as int64.
//
// Errors are of type *ParseError; the errors of several documents are joined.
func Parse(source, text string) ([]Object, error) {
	documents, err := decodeDocuments(source, text)
	return parseDocuments(source, documents, err)
}

// ParseCanonical is like [Parse], and also returns the result of [Canonical] for the text.
func ParseCanonical(source, text string) (objects []Object, canonical string, err error) {
	documents, err := decodeDocuments(source, text)
	if canonical = text; err == nil {
		canonical, err = encodeCanonical(text, documents) // before a caller can change the objects
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

// FromValue returns an object from decoded JSON or YAML, by the rules of [Parse], but does not expand a List. The value is not copied.
func FromValue(value map[string]any) (Object, error) { return newParsedObject(value) }

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
		return nil, fmt.Errorf("more than %d nested Lists", maxListDepth)
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
