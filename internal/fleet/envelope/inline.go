package envelope

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

var errNotMapping = errors.New("data is not a mapping")

// openResourceEnvelope extracts a ResourceEnvelope by KubeFleet's rules: each entry must be an object with the envelope's own namespace. An entry
// without a namespace is invalid. Only the namespace, not the kind, decides whether an object is cluster-scoped.
func openResourceEnvelope(o manifest.Object) ([]manifest.Object, []error) {
	self := manifest.Envelope{Name: o.Name, Namespace: o.Namespace, Type: string(TypeResourceEnvelope)}
	return openInline(o, self, func(key string, object manifest.Object) error {
		switch object.Namespace {
		case o.Namespace:
			return nil
		case "":
			return fmt.Errorf("a cluster scope object %s (%s) has been wrapped in a resource envelope %s/%s",
				key, object.Name, o.Namespace, o.Name)
		default:
			return fmt.Errorf("a namespaced object %s (%s/%s) has been wrapped in a resource envelope from another namespace (%s/%s)",
				key, object.Namespace, object.Name, o.Namespace, o.Name)
		}
	})
}

// openClusterResourceEnvelope extracts a ClusterResourceEnvelope by KubeFleet's rules: an entry must not have a namespace.
func openClusterResourceEnvelope(o manifest.Object) ([]manifest.Object, []error) {
	self := manifest.Envelope{Name: o.Name, Type: string(TypeClusterResourceEnvelope)}
	return openInline(o, self, func(key string, object manifest.Object) error {
		if object.Namespace == "" {
			return nil
		}
		return fmt.Errorf("a namespaced object %s (%s/%s) has been wrapped in a cluster resource envelope %s",
			key, object.Namespace, object.Name, o.Name)
	})
}

// openInline returns the objects in an envelope, sorted by key. For each entry that is not an object or that check rejects, it returns an *[Error] instead.
// self is the identity of the envelope.
func openInline(
	o manifest.Object, self manifest.Envelope, check func(key string, object manifest.Object) error,
) (objects []manifest.Object, errs []error) {
	data, ok := o.Content.DeepCopy().Object["data"].(map[string]any)
	if !ok && o.Content.Object["data"] != nil {
		return nil, []error{&Error{Envelope: self, Err: errNotMapping}}
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		object, err := parseInline(data[key])
		if err == nil {
			err = check(key, object)
		}
		if err != nil {
			errs = append(errs, &Error{Envelope: self, Key: key, Err: err})
			continue
		}
		object.Envelope = new(self)
		objects = append(objects, object)
	}
	return objects, errs
}

func parseInline(value any) (manifest.Object, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return manifest.Object{}, errors.New("this is not an object: write the content of an envelope inline, not as a string")
	}
	return manifest.FromValue(fields)
}
