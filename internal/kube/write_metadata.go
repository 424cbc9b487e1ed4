package kube

import (
	"context"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// RemoveMetadata takes labels and annotations off an object, as far as it has them as it was read, and leaves all else as it is. The request
// is refused if the object has been replaced by another one of the same name. Nothing is sent when there is nothing to take off.
func (c *Cluster) RemoveMetadata(ctx context.Context, live *unstructured.Unstructured, labels, annotations []string) error {
	metadata := map[string]any{}
	remove := func(field string, keys []string, there map[string]string) {
		gone := map[string]any{}
		for _, key := range keys {
			if _, found := there[key]; found {
				gone[key] = nil
			}
		}
		if len(gone) > 0 {
			metadata[field] = gone
		}
	}
	remove("labels", labels, live.GetLabels())
	remove("annotations", annotations, live.GetAnnotations())
	if len(metadata) == 0 {
		return nil
	}
	metadata["uid"] = string(live.GetUID())
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = c.Patch(ctx, RefOf(live), types.MergePatchType, patch, WriteOptions{})
	return err
}

// ReplaceLabel sets a label of an object to another value, and returns the stored object. If the object has been recreated since it was read, or the label has
// changed, it returns an error for which IsInvalid holds. Other changes of the object do not matter.
func (c *Cluster) ReplaceLabel(ctx context.Context, live *unstructured.Unstructured, label, value string) (*unstructured.Unstructured, error) {
	at := "/metadata/labels/" + strings.ReplaceAll(label, "/", "~1") // a key has no "~"
	patch, err := json.Marshal([]map[string]string{
		{"op": "test", "path": "/metadata/uid", "value": string(live.GetUID())},
		{"op": "test", "path": at, "value": live.GetLabels()[label]},
		{"op": "replace", "path": at, "value": value},
	})
	if err != nil {
		return nil, err
	}
	return c.Patch(ctx, RefOf(live), types.JSONPatchType, patch, WriteOptions{})
}
