package kube

import (
	"context"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// RemoveMetadata removes labels and annotations from an object. It returns an error if the object was recreated since live was read. It sends
// no request if live has none of the labels and annotations.
func (c *Cluster) RemoveMetadata(ctx context.Context, live *unstructured.Unstructured, labels, annotations []string) error {
	return c.removeMetadata(ctx, live, labels, annotations, map[string]any{"uid": string(live.GetUID())})
}

// RemoveMetadataUnchanged is like [Cluster.RemoveMetadata]. If the object has changed since live was read, it returns an error for which IsOutdated holds.
func (c *Cluster) RemoveMetadataUnchanged(ctx context.Context, live *unstructured.Unstructured, labels, annotations []string) error {
	return c.removeMetadata(ctx, live, labels, annotations, map[string]any{"uid": string(live.GetUID()), "resourceVersion": live.GetResourceVersion()})
}

// removeMetadata sends a patch with the removals and with metadata, which has the preconditions. It changes metadata.
func (c *Cluster) removeMetadata(ctx context.Context, live *unstructured.Unstructured, labels, annotations []string, metadata map[string]any) error {
	remove := func(field string, keys []string, present map[string]string) {
		removals := map[string]any{}
		for _, key := range keys {
			if _, found := present[key]; found {
				removals[key] = nil
			}
		}
		if len(removals) > 0 {
			metadata[field] = removals
		}
	}
	remove("labels", labels, live.GetLabels())
	remove("annotations", annotations, live.GetAnnotations())
	if metadata["labels"] == nil && metadata["annotations"] == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = c.Patch(ctx, RefOf(live), types.MergePatchType, patch, WriteOptions{})
	return err
}

// ReplaceLabel sets a label of an object to another value, and returns the stored object. If the object was recreated or the label has
// changed since live was read, it returns an error for which IsInvalid holds. Other changes of the object do not matter.
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
