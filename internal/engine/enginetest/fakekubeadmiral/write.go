package fakekubeadmiral

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// patch merges fields into an object, or into its status. It fails if another client has written the object since it was read.
func patch(ctx context.Context, to *kube.Cluster, live *unstructured.Unstructured, subresource string, fields map[string]any) error {
	metadata, _ := fields["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["resourceVersion"] = live.GetResourceVersion()
	fields["metadata"] = metadata
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = to.Patch(ctx, kube.RefOf(live), types.MergePatchType, data, kube.WriteOptions{FieldManager: Manager, Subresource: subresource})
	return err
}

// finalizers returns the patch of an object's finalizers.
func finalizers(names []string) map[string]any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return map[string]any{"metadata": map[string]any{"finalizers": list}}
}

// without returns a list without some names.
func without(list []string, names ...string) []string {
	var out []string
	for _, item := range list {
		if !has(names, item) {
			out = append(out, item)
		}
	}
	return out
}

// tree returns a value as JSON for a patch.
func tree(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(data, &out)
}
