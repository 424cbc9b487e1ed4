package direct

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// chooseLook asks once what the credentials may do to the objects about which something is in doubt, and so chooses the way in which the
// cluster is looked at: dry runs where all of them may be written, else reading and comparing.
func (c *clusterPlan) chooseLook(ctx context.Context, open []*item) error {
	var checks []kube.Check
	for _, i := range open {
		if i.mapping.GVR.Resource != "" {
			checks = append(checks, i.permission())
		}
	}
	if len(checks) == 0 {
		return nil
	}
	allowed, err := c.cluster.CanI(ctx, checks)
	if silent(err) {
		return reached(c.name, err)
	}
	if err != nil {
		return nil //nolint:nilerr // who may not even ask may hardly write
	}
	c.allowed = allowed
	c.look = engine.LookDryRun
	for _, check := range checks {
		if !allowed[check] {
			c.look = engine.LookReadOnly
		}
	}
	return nil
}

// permission is the right that a dry run of what may be done to an object needs.
func (i *item) permission() kube.Check {
	check := kube.Check{Verb: "patch", GVR: i.mapping.GVR, Namespace: i.Namespace}
	if i.live == nil {
		check.Verb = "create"
	}
	return check
}

// may tells whether the API server can be asked for a dry run. A kind that comes with the placement cannot be asked about.
func (c *clusterPlan) may(i *item) bool {
	return i.mapping.GVR.Resource != "" && c.allowed[i.permission()]
}
