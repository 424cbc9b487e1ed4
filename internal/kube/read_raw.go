package kube

import (
	"bytes"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// rawObject is an object of a list in the words of the server. As JSON it takes a fifth of the memory that it takes decoded, and everybody
// who decodes it has an object of their own.
type rawObject struct {
	name string
	text []byte
	// apiVersion and kind are those of the list: built-in kinds do not repeat them in every object.
	apiVersion, kind string
}

// UnmarshalJSON implements json.Unmarshaler. It reads the name only, and keeps text: the body of an answer is ours, and is not changed.
func (r *rawObject) UnmarshalJSON(text []byte) error {
	r.text = text
	if r.name = r.leading("name"); r.name != "" {
		return nil
	}
	var head struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(text, &head)
	r.name = head.Metadata.Name
	return err
}

// decode returns the object, a new one every time.
func (r rawObject) decode() (*unstructured.Unstructured, error) {
	out := &unstructured.Unstructured{}
	if err := json.Unmarshal(r.text, &out.Object); err != nil {
		return nil, err
	}
	if out.GetKind() == "" && out.GetAPIVersion() == "" {
		out.SetKind(r.kind)
		out.SetAPIVersion(r.apiVersion)
	}
	return out, nil
}

// metadataFirst is how the objects of built-in kinds begin.
var metadataFirst = []byte(`{"metadata":{`)

// leading returns one of the texts that metadata begins with: in built-in kinds those are name, namespace, uid and resourceVersion. It is
// empty where it would have to be looked for further on.
func (r rawObject) leading(field string) string {
	rest, found := bytes.CutPrefix(r.text, metadataFirst)
	for found {
		var key, value []byte
		if key, rest, found = cutText(rest, ':'); !found {
			break
		}
		if value, rest, found = cutText(rest, ','); found && string(key) == field {
			return string(value)
		}
	}
	return ""
}

// cutText cuts a JSON text off that needs no decoding and that end follows.
func cutText(json []byte, end byte) (text, rest []byte, found bool) {
	if len(json) == 0 || json[0] != '"' {
		return nil, nil, false
	}
	text, rest, found = bytes.Cut(json[1:], []byte{'"'})
	if !found || bytes.IndexByte(text, '\\') >= 0 || len(rest) == 0 || rest[0] != end {
		return nil, nil, false
	}
	return text, rest[1:], true
}

// outline returns the object without its content, if it is still what was seen.
func (r rawObject) outline(seen Seen) (*unstructured.Unstructured, bool) {
	if seen == (Seen{}) || r.leading("uid") != seen.UID || r.leading("resourceVersion") != seen.ResourceVersion {
		return nil, false
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": r.apiVersion, "kind": r.kind,
		"metadata": map[string]any{
			"name": r.name, "namespace": r.leading("namespace"), "uid": seen.UID, "resourceVersion": seen.ResourceVersion,
		},
	}}, true
}

// wish is what somebody wants of a list. The zero value is all of it.
type wish struct {
	// names are the wanted ones; nil means all.
	names map[string]Ref
	// seen are those objects that need not be decoded while they are what they were.
	seen map[Ref]Seen
}

// pick decodes the objects that are wanted.
func (w wish) pick(raw []rawObject) ([]*unstructured.Unstructured, error) {
	return w.decode(w.selected(raw))
}

func (w wish) selected(raw []rawObject) []rawObject {
	if w.names == nil {
		return raw
	}
	var out []rawObject
	for _, r := range raw {
		if _, wanted := w.names[r.name]; wanted {
			out = append(out, r)
		}
	}
	return out
}

func (w wish) decode(raw []rawObject) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, r := range raw {
		if outline, same := r.outline(w.seen[w.names[r.name]]); same {
			objects = append(objects, outline)
			continue
		}
		object, err := r.decode()
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}
