package stagedupdate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

type waitUntil string

const (
	untilSucceeded waitUntil = "Succeeded"
	untilWritten   waitUntil = "Written"
)

// Values returns the values in the order in which they are documented.
func (waitUntil) Values() []string { return []string{string(untilSucceeded), string(untilWritten)} }

type waitModel struct {
	Until *waitUntil `tfsdk:"until"`
}

func waitAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Condition that an apply waits for.",
		Attributes: map[string]schema.Attribute{
			"until": schema.StringAttribute{
				Optional: true, Validators: enum.Validators[waitUntil](),
				MarkdownDescription: "With `Succeeded` (the default), the apply follows the run until it has ended or waits for an approval. With the " +
					"`state` `Initialize` or `Stop`, the apply ends earlier: when the run is initialized or stopped. With `Written`, the apply ends as soon " +
					"as the run is on the hub.",
			},
		},
	}
}

func (m runModel) isFollowing(ctx context.Context, diags *diag.Diagnostics) bool {
	wait := convert.FromObject[waitModel](ctx, m.Wait, diags)
	return wait == nil || convert.Value(wait.Until) != untilWritten
}

// upgradeWait converts the attribute wait of a state from a bool to an object. It does nothing if wait is null.
func upgradeWait(attributes map[string]json.RawMessage) error {
	var isFollowed *bool
	if err := json.Unmarshal(attributes["wait"], &isFollowed); err != nil || isFollowed == nil {
		return err
	}
	until := untilWritten
	if *isFollowed {
		until = untilSucceeded
	}
	attributes["wait"] = fmt.Appendf(nil, `{"until":%q}`, until)
	return nil
}
