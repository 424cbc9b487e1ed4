package placement

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// logPreview logs for TF_LOG=debug what a preview decided on every cluster, and how long it took. It logs no contents of objects.
func logPreview(ctx context.Context, preview *engine.Preview, took time.Duration) {
	for _, cluster := range preview.Clusters {
		actions := map[string]int{}
		for _, object := range cluster.Objects {
			actions[string(object.Action)]++
		}
		fields := map[string]any{
			"placement": preview.Placement, "cluster": cluster.Name, "picked": cluster.Picked, "reason": cluster.Reason,
			"check_method": string(cluster.CheckMethod), "actions": actions,
		}
		if cluster.Err != nil {
			fields["error"] = cluster.Err.Error()
		}
		tflog.Debug(ctx, "Preview of a cluster", fields)
	}
	tflog.Debug(ctx, "Preview of a placement", map[string]any{
		"placement": preview.Placement, "clusters": len(preview.Clusters), "duration_ms": took.Milliseconds(),
	})
}
