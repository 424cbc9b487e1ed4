package hub

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Content is the content of a placement in the hub's resource snapshots.
type Content struct {
	// Index is the sequence number of the content, from "0"; "" if there is none yet.
	Index string
	// Name is the name of the snapshot by which bindings refer to the content.
	Name    string
	Objects []manifest.Object
}

// Hash returns the hash of the objects; "" if there is no content yet.
func (c Content) Hash() string {
	if c.Index == "" {
		return ""
	}
	return source.Hash(c.Objects)
}

// Latest reads the latest content of a placement. It returns an empty Content if there is none yet. Large content has several snapshots, and the first of
// them has an annotation with their number.
func Latest(ctx context.Context, hub *kube.Cluster, of engine.Reference) (Content, error) {
	kind, ofPlacement := KindsOf(of).ResourceSnapshot, OfPlacement(of)
	parts, err := List[wire.ClusterResourceSnapshot](ctx, hub, kind, of.Namespace, ofPlacement+","+wire.LatestSnapshotLabel+"=true")
	if err != nil || len(parts) == 0 {
		return Content{}, err
	}
	out := Content{Index: parts[0].Labels[wire.ResourceIndexLabel], Name: parts[0].Name}
	if parts[0].Annotations[wire.NumberOfSnapshotsAnnotation] != "1" {
		parts, err = List[wire.ClusterResourceSnapshot](ctx, hub, kind, of.Namespace, ofPlacement+","+wire.ResourceIndexLabel+"="+out.Index)
		if err != nil {
			return Content{}, err
		}
	}
	for _, part := range parts {
		for _, selected := range part.Spec.SelectedResources {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(selected.Raw); err != nil {
				return Content{}, fmt.Errorf("the resource snapshot %q on the hub cannot be read: %w", part.Name, err)
			}
			out.Objects = append(out.Objects, manifest.NewObject(u, nil))
		}
	}
	return out, nil
}
