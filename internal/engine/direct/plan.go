package direct

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// plan is a preview with everything that is needed to carry it out.
type plan struct {
	request   engine.PlacementRequest
	spec      placement.Spec // with its defaults
	content   *content
	outcome   schedule.Outcome
	clusters  []*clusterPlan // by name
	generated head           // what the inventories are to say
}

// clusterPlan is what is to be done on one cluster.
type clusterPlan struct {
	*view
	decision  schedule.Decision
	inventory *inventory // as it is now, nil if there is none
	look      engine.Look
	// items are the objects that belong on the cluster, in the order of the selection; leftovers those that no longer do.
	items     []*item
	leftovers []*item
}

// item is one object on one cluster, with what is to be done to it.
type item struct {
	engine.ObjectPreview
	// hash is that of the content as it is selected; desired is that content as it is sent. Both are empty for a leftover.
	hash    string
	desired *unstructured.Unstructured
	live    *unstructured.Unstructured
	mapping kube.Mapping
	entry   Entry
	known   bool  // entry was in the inventory
	unseen  error // why the object could not be looked at
}

// plan finds out what an apply would do. It writes nothing.
func (e *Engine) plan(ctx context.Context, request engine.PlacementRequest) (*plan, error) {
	out := &plan{request: request, spec: request.Spec.Defaulted()}
	var err error
	if out.content, err = e.gather(ctx, request); err != nil {
		return nil, err
	}
	views := e.look(ctx, request.Prior)
	if out.outcome, err = decide(out.spec, views, request); err != nil {
		return nil, err
	}
	out.generated = nextHead(request, out.content, views)
	if out.generated.HubUID, err = e.sameHub(ctx, request.Prior); err != nil {
		return nil, err
	}
	for _, v := range views {
		out.clusters = append(out.clusters, newClusterPlan(v, out.outcome, request.Name))
	}
	err = e.onEach(ctx, out.clusterNames(), func(ctx context.Context, name string) error {
		return out.cluster(name).examine(ctx, out)
	})
	return out, err
}

// sameHub returns the UID of the hub, or an error if it is not the one that the placement was made from before.
func (e *Engine) sameHub(ctx context.Context, prior *placement.Status) (string, error) {
	if e.hub == nil {
		return "", nil
	}
	known := ""
	if prior != nil {
		known = prior.HubUID
	}
	uid, err := sameCluster(ctx, e.hub, known)
	return uid, reached(e.hub.Name(), err)
}

func (p *plan) clusterNames() []string {
	names := make([]string, len(p.clusters))
	for i, c := range p.clusters {
		names[i] = c.name
	}
	return names
}

func (p *plan) cluster(name string) *clusterPlan {
	i := slices.IndexFunc(p.clusters, func(c *clusterPlan) bool { return c.name == name })
	return p.clusters[i]
}

func newClusterPlan(v *view, outcome schedule.Outcome, placementName string) *clusterPlan {
	out := &clusterPlan{view: v, inventory: v.inventories[placementName], look: engine.LookReadOnly}
	out.decision = schedule.Decision{Cluster: v.name, Reason: "not asked for by the placement policy"}
	for _, decision := range outcome.Decisions {
		if decision.Cluster == v.name {
			out.decision = decision
		}
	}
	if v.err != nil {
		out.look = engine.LookOffline
	}
	return out
}

// decide runs the scheduler. A cluster that had the placement under the same policy keeps it, and so does one that cannot be reached:
// not knowing a cluster is no reason to take a workload away from it.
func decide(spec placement.Spec, views []*view, request engine.PlacementRequest) (schedule.Outcome, error) {
	var clusters []schedule.Cluster
	var held []string
	for _, v := range views {
		candidate := v.candidate()
		had := request.Prior != nil && isScheduled(request.Prior.Clusters[v.name])
		switch {
		case v.err != nil && had:
			candidate.Ineligible = ""
			held = append(held, v.name)
		case v.err == nil && !v.joined() && request.ExpectMembers:
			// Its labels and taints are not known yet; without a required affinity they hardly matter.
			candidate.Ineligible = ""
			v.joining = true
		}
		if known := v.inventories[request.Name]; known != nil && known.Picked && samePolicy(known.Spec, spec) {
			held = append(held, v.name)
		}
		clusters = append(clusters, candidate)
	}
	return schedule.Run(*spec.Policy, clusters, held)
}

func isScheduled(status placement.ClusterStatus) bool {
	condition, found := status.Condition(placement.Scheduled)
	return found && condition.Status == placement.True
}

// samePolicy compares policies as KubeFleet does: the number of clusters is not part of what makes a policy another one.
func samePolicy(a, b placement.Spec) bool {
	return policyHash(a) == policyHash(b)
}

// nextHead is what the inventories say once this apply is done: another generation if the spec or the manifests changed, another
// resource index if the content did (KubeFleet, resource snapshots).
func nextHead(request engine.PlacementRequest, content *content, views []*view) head {
	out := head{
		Name: request.Name, Generation: 1, ContentHash: content.hash,
		HasManifests: len(request.Manifests) > 0, ManifestsHash: textsHash(request.Manifests),
	}
	var newest *inventory
	for _, v := range views {
		if known := v.inventories[request.Name]; known != nil && (newest == nil || known.Generation > newest.Generation ||
			known.Generation == newest.Generation && known.ResourceIndex > newest.ResourceIndex) {
			newest = known
		}
	}
	if newest == nil {
		return out
	}
	out.Generation, out.ResourceIndex = newest.Generation, newest.ResourceIndex
	if specHash(newest.Spec) != specHash(request.Spec) || newest.ManifestsHash != out.ManifestsHash {
		out.Generation++
	}
	if newest.ContentHash != content.hash {
		out.ResourceIndex++
	}
	return out
}

// preview is the part of the plan that others may see.
func (p *plan) preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.request.Name, Selected: p.content.selected, EmptySelectors: p.content.empty, Unselected: p.content.unselected,
		Fulfilled: p.outcome.Fulfilled,
	}
	for _, c := range p.clusters {
		cluster := engine.ClusterPreview{
			Name: c.name, Picked: c.decision.Selected, Reason: c.decision.Reason, Look: c.look, Err: c.err, Resume: c.resume(p), Joining: c.joining,
		}
		for _, i := range c.items {
			cluster.Objects = append(cluster.Objects, i.ObjectPreview)
		}
		for _, i := range c.leftovers {
			cluster.Objects = append(cluster.Objects, i.ObjectPreview)
		}
		out.Clusters = append(out.Clusters, cluster)
	}
	// Names that the policy asks for and no connection exists for have a decision and no cluster.
	for _, decision := range p.outcome.Decisions {
		if !slices.Contains(p.clusterNames(), decision.Cluster) {
			out.Clusters = append(out.Clusters, engine.ClusterPreview{Name: decision.Cluster, Reason: decision.Reason, Look: engine.LookOffline})
		}
	}
	return out
}

// resume tells whether a cluster has to be written to though no object on it may have to be: an earlier apply did not finish there, or
// its inventory says something else than it should.
func (c *clusterPlan) resume(p *plan) bool {
	if c.err != nil {
		return c.decision.Selected && p.behind(c.name)
	}
	if c.inventory == nil {
		return c.decision.Selected
	}
	want := c.head(p)
	return c.inventory.Applying || !c.decision.Selected || c.inventory.head != want || specHash(c.inventory.Spec) != specHash(p.request.Spec)
}

// behind tells whether a cluster that cannot be asked did not have the newest content when it was seen last.
func (p *plan) behind(name string) bool {
	if p.request.Prior == nil {
		return true
	}
	known, found := p.request.Prior.Clusters[name]
	return !found || known.ObservedResourceIndex != p.index()
}

// head is what the cluster's inventory is to say.
func (c *clusterPlan) head(p *plan) head {
	want := p.generated
	want.ClusterUID, want.Reason, want.Picked = c.uid, c.decision.Reason, c.decision.Selected
	return want
}
