package envelope

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// openConfigMap extracts an annotated ConfigMap by KubeFleet's former rules. Each value of data is one object, whose namespace is empty or the envelope's own.
// Cluster-scoped objects are allowed, as they were in KubeFleet until shortly before it dropped the format. The objects are sorted by key. For each invalid
// entry, openConfigMap returns an *[Error] instead of an object.
func openConfigMap(o manifest.Object) ([]manifest.Object, []error) {
	self := manifest.Envelope{Name: o.Name, Namespace: o.Namespace, Type: string(TypeConfigMap)}
	data, _, err := unstructured.NestedStringMap(o.Content.Object, "data")
	if err != nil {
		// The error of the library contains the value.
		return nil, []error{&Error{Envelope: self, Err: errors.New("data has a value that is not a string")}}
	}
	var objects []manifest.Object
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(data)) {
		object, err := parseEntry(key, data[key], o.Namespace)
		if err != nil {
			errs = append(errs, &Error{Envelope: self, Key: key, Err: err})
			continue
		}
		object.Envelope = new(self)
		objects = append(objects, object)
	}
	return objects, errs
}

func parseEntry(key, text, namespace string) (manifest.Object, error) {
	objects, err := manifest.Parse(key, text)
	if err != nil {
		if parseError, ok := errors.AsType[*manifest.ParseError](err); ok && parseError.Document == 1 {
			err = parseError.Err
		}
		return manifest.Object{}, err
	}
	if len(objects) != 1 {
		return manifest.Object{}, fmt.Errorf(
			"has %d objects, and a key of an envelope must have exactly one: use a separate key for every object", len(objects))
	}
	object := objects[0]
	if object.Namespace != "" && object.Namespace != namespace {
		return manifest.Object{}, fmt.Errorf(
			"%s is in namespace %s, and the envelope in namespace %s: an envelope contains only objects of its own namespace and cluster-scoped "+
				"objects",
			object, object.Namespace, namespace)
	}
	return object, nil
}
