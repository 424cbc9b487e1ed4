package placement

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

// When an attribute becomes unknown, a plan prints its old value with a line for each element. So the status is two strings: a list of clusters would make every
// plan long.

func phaseAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The phase on the cluster where the placement is furthest from complete: " + enum.OneOf[domain.Phase]() +
			", or another reason from KubeFleet. It is known after apply if the apply has changes on a cluster. The status of each cluster is in the " +
			"data source `fleet_crp`.",
	}
}

func problemsAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The objects and clusters with a problem, in one line, as in `member-2: Deployment web-2/web: NotTakenOver`. It names the first " +
			"three problems and counts the others. Empty if there is none.",
	}
}

func (m *Model) setStatus(status domain.Status) {
	m.Phase = types.StringValue(string(status.Phase()))
	m.Problems = types.StringValue(status.Problems())
}
