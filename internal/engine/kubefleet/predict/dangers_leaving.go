package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// keptFieldsDanger warns that an agent does not remove a field that leaves the manifest, if the agent set the field when it created the object.
func (p *Prediction) keptFieldsDanger() *engine.Danger {
	for _, c := range p.Clusters {
		for _, o := range c.Items {
			fields := c.remaining(o)
			if len(fields) == 0 {
				continue
			}
			return &engine.Danger{Path: applyStrategy.Attribute("type"), Title: "fields that leave the manifest remain on members", Message: fmt.Sprintf(
				"The manifest of %s no longer has %s, and the agent of %q does not remove it. A server-side apply does not remove fields that the agent set when it "+
					"created the object. A client-side apply removes only fields that a client-side apply has recorded. To remove a field, apply "+
					"type = \"ClientSideApply\" while the manifest still has the field, and remove the field in a later run.",
				o.Identifier, strings.Join(fields, ", "), c.Name)}
		}
	}
	return nil
}

// remaining returns the fields that leave the manifest of an object, but that the agent does not remove although no other manager owns them. It returns none
// for Jobs, because an API server adds labels to a Job by itself.
func (c *Cluster) remaining(o *memberpreview.Object) []string {
	if o.Action != takeover.ActionUpdate || o.Live == nil || o.Group == "batch" && o.Kind == "Job" {
		return nil
	}
	recorded := o.Live.GetAnnotations()[agent.LastAppliedAnnotation] != ""
	if recorded && c.prediction.Spec.Strategy.ApplyStrategy.Type != placement.ServerSideApply {
		return nil
	}
	var out []string
	for _, leaving := range diff.Leaving(c.schema, o.Desired, o.Live, agent.FieldManager, true) {
		if !slices.ContainsFunc(o.Differences, func(d diff.Difference) bool { return d.Field == leaving.Field && !d.HasHub }) {
			out = append(out, leaving.Field)
		}
	}
	return out
}
