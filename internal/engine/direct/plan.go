package direct

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
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
	recorded  *inventory     // the newest one as it is, nil if there is none
	purpose   purpose
	// removing says that the whole placement is to go.
	removing bool
	at       time.Time // when the clusters were looked at
}

func (p *plan) strategy() *placement.ApplyStrategy { return p.spec.Strategy.ApplyStrategy }

// purpose is what a plan is made for.
type purpose int

const (
	// applying makes the writes in earnest, and has all objects as they are.
	applying purpose = iota
	// previewing makes the writes as dry runs, to know what will come of them.
	previewing
	// reading wants to know what has become of the objects.
	reading
)

// clusterPlan is what is to be done on one cluster.
type clusterPlan struct {
	*view
	decision schedule.Decision
	// look is how the cluster was looked at, allowed what the credentials may do to the objects about which something was in doubt.
	look    engine.Look
	allowed map[kube.Check]bool
	// admission is who has a say in what is written to the cluster.
	admission admission
	// items are the objects that belong on the cluster, in the order of the selection; leftovers those that no longer do.
	items     []*item
	leftovers []*item
	// overridden tells whether overrides changed objects for this cluster; overrideErr is why one of them could not be applied.
	overridden  bool
	overrideErr error
}

// item is one object on one cluster, with what is to be done to it.
type item struct {
	engine.ObjectPreview
	// hash is that of the content as it is selected; desired is that content as it is sent. Both are empty for a leftover.
	hash    string
	desired *unstructured.Unstructured
	live    *unstructured.Unstructured
	// local is how an object that is not ours differs as far as can be told without the API server.
	local []diff.Difference
	// doubtful tells that a dry run may find differences where the local comparison has found none.
	doubtful bool
	// reported says that the differences could be told, under strategy type ReportDiff.
	reported bool
	// problem is why the object is refused, without the words around it.
	problem string
	mapping kube.Mapping
	entry   Entry
	known   bool  // entry was in the inventory
	same    bool  // live is what the last apply left, and has no content
	unseen  error // why the object could not be looked at
	// next is what the inventory is to have of the object before it is written, nil if nothing.
	next *Entry
}

// plan finds out what an apply would do. It writes nothing.
func (e *Engine) plan(ctx context.Context, request engine.PlacementRequest, why purpose) (*plan, error) {
	out := &plan{request: request, spec: request.Spec.Defaulted(), purpose: why, at: time.Now()}
	known, err := e.survey(ctx, request)
	if err != nil {
		return nil, err
	}
	out.content = known.content
	if out.outcome, err = decide(out.spec, known.views, request); err != nil {
		return nil, err
	}
	out.recorded, _ = newest(known.views, known.said)
	out.generated = nextHead(request, out.content, out.recorded, known.said)
	if out.generated.HubUID, err = known.hubUID, known.hubErr; err != nil {
		return nil, err
	}
	for _, v := range known.views {
		out.clusters = append(out.clusters, newClusterPlan(v, out.outcome))
	}
	err = e.onEach(ctx, out.clusterNames(), func(ctx context.Context, name string) error {
		return out.cluster(name).examine(ctx, out)
	})
	if err == nil {
		err = ended(ctx)
	}
	return out, err
}

// survey is what a plan begins with.
type survey struct {
	content *content
	said    said
	views   []*view
	hubUID  string
	hubErr  error
}

// survey gathers what is to be placed and looks at the clusters, all at once: neither has to wait for the other's answers. An error is that
// of the content, which ends the looking.
func (e *Engine) survey(ctx context.Context, request engine.PlacementRequest) (*survey, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &survey{}
	var err error
	var wait sync.WaitGroup
	wait.Go(func() {
		if out.content, err = e.gather(ctx, request); err != nil {
			cancel()
		}
	})
	wait.Go(func() { out.said = saidBy(request) })
	wait.Go(func() { out.views = e.look(ctx, request) })
	wait.Go(func() { out.hubUID, out.hubErr = e.sameHub(ctx, request.Prior) })
	wait.Wait()
	return out, err
}

// ended is an error once the time for an operation is over: what was not looked at by then must not count as looked at.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("the time was over before the clusters had been looked at; nothing was written: %w", context.Cause(ctx))
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

func newClusterPlan(v *view, outcome schedule.Outcome) *clusterPlan {
	out := &clusterPlan{view: v, look: engine.LookReadOnly}
	out.decision = schedule.Decision{Cluster: v.name, Reason: "not asked for by the placement policy"}
	for _, decision := range outcome.Decisions {
		if decision.Cluster == v.name {
			out.decision = decision
		}
	}
	if reason := v.candidate().Ineligible; reason != "" && v.err == nil && !out.decision.Selected {
		out.decision.Reason = reason // its labels and taints are not known, so that other reasons are guesses
	}
	return out
}

// keeps tells whether the cluster was picked before by the same policy.
func (v *view) keeps(spec placement.Spec) bool {
	known := v.inventory
	return known != nil && known.Picked && known.ClusterUID == v.uid && samePolicy(known.Spec, spec)
}

// how is the way in which the cluster was looked at.
func (c *clusterPlan) how() engine.Look {
	if c.err != nil {
		return engine.LookOffline
	}
	return c.look
}

// all are the items and the leftovers.
func (c *clusterPlan) all() []*item { return slices.Concat(c.items, c.leftovers) }

// decide runs the scheduler. A cluster that had the placement under the same policy keeps it, and so does one that cannot be reached:
// not knowing a cluster is no reason to take a workload away from it.
func decide(spec placement.Spec, views []*view, request engine.PlacementRequest) (schedule.Outcome, error) {
	in := schedule.Input{Policy: spec.Policy, Placement: request.Name}
	for _, v := range views {
		candidate := v.candidate()
		had := request.Prior != nil && isScheduled(request.Prior.Clusters[v.name])
		switch {
		case v.err != nil && had:
			candidate.Ineligible = ""
			in.Bindings = append(in.Bindings, schedule.Binding{Cluster: v.name, State: schedule.Bound})
		case v.err == nil && !v.joined() && request.ExpectMembers:
			// Its labels and taints are not known yet; without a required affinity they hardly matter.
			candidate.Ineligible = ""
			v.joining = true
		}
		// A cluster that has left the fleet keeps nothing, as upstream; what is there is released.
		if v.err == nil && v.joined() && v.inventory != nil && v.inventory.Picked && v.inventory.ClusterUID == v.uid {
			in.Bindings = append(in.Bindings, schedule.Binding{
				Cluster: v.name, State: schedule.Bound, Obsolete: !v.keeps(spec), Score: v.inventory.score(), Reason: v.inventory.Reason,
			})
		}
		in.Clusters = append(in.Clusters, candidate)
	}
	return schedule.Schedule(in)
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
func nextHead(request engine.PlacementRequest, content *content, known *inventory, what said) head {
	out := head{
		Name: request.Name, Generation: 1, ContentHash: content.hash,
		HasManifests: len(request.Manifests) > 0, ManifestsHash: what.manifests,
	}
	if known == nil {
		return out
	}
	out.Generation, out.ResourceIndex = known.Generation, known.ResourceIndex
	if !known.records(what) {
		out.Generation++
	}
	if known.ContentHash != content.hash {
		out.ResourceIndex++
	}
	// The cluster that knows of the last apply may be one that does not answer now. The counts never go back.
	generation, index := counted(request.Prior)
	out.Generation, out.ResourceIndex = max(out.Generation, generation), max(out.ResourceIndex, index)
	return out
}

// newest returns the inventory of the last apply, and where it is. Of equal ones that counts which says what the request says: of an
// apply that did not reach all clusters, the others may still have an older word.
func newest(views []*view, what said) (*inventory, *view) {
	var found *view
	for _, v := range views {
		if v.inventory != nil && (found == nil || newer(v.inventory, found.inventory, what)) {
			found = v
		}
	}
	if found == nil {
		return nil, nil
	}
	return found.inventory, found
}

func newer(a, b *inventory, what said) bool {
	switch {
	case a.Generation != b.Generation:
		return a.Generation > b.Generation
	case a.ResourceIndex != b.ResourceIndex:
		return a.ResourceIndex > b.ResourceIndex
	default:
		return a.records(what) && !b.records(what)
	}
}

// said are the hashes of what a request says. Hundreds of manifests take a while to be hashed, too long to do it for every member.
type said struct{ spec, manifests string }

func saidBy(request engine.PlacementRequest) said {
	return said{spec: specHash(request.Spec), manifests: textsHash(request.Manifests)}
}

// records tells whether the inventory has the spec and the manifests that a request says.
func (i *inventory) records(what said) bool {
	return i.ManifestsHash == what.manifests && specHash(i.Spec) == what.spec
}

// counted returns the generation and the resource index of the last status.
func counted(prior *placement.Status) (generation, index int64) {
	if prior == nil {
		return 0, 0
	}
	for _, condition := range prior.Conditions {
		generation = max(generation, condition.ObservedGeneration)
	}
	index, _ = strconv.ParseInt(prior.ObservedResourceIndex, 10, 64)
	return generation, index
}

// preview is the part of the plan that others may see.
func (p *plan) preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.request.Name, Selected: p.content.selected, EmptySelectors: p.content.empty, Unselected: p.content.unselected,
		Fulfilled: p.outcome.Fulfilled,
	}
	for _, c := range p.clusters {
		cluster := engine.ClusterPreview{
			Name: c.name, Picked: c.decision.Selected, Reason: c.decision.Reason, Score: c.decision.Score,
			Look: c.how(), Err: c.err, Resume: c.resume(p), Joining: c.joining,
		}
		if c.overrideErr != nil {
			cluster.Problem = c.overrideErr.Error()
		}
		for _, i := range c.all() {
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
	if c.overrideErr != nil {
		return true
	}
	if c.inventory == nil {
		return c.decision.Selected
	}
	want, have := c.head(p), c.inventory.head
	want.Reason, have.Reason = "", "" // it says how a decision came about, and may say it in other words every time
	return c.inventory.Applying || !c.decision.Selected || have != want || specHash(c.inventory.Spec) != specHash(p.request.Spec)
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
	if score := c.decision.Score; score != nil {
		want.Scored, want.AffinityScore, want.TopologySpreadScore = true, score.Affinity, score.TopologySpread
	}
	return want
}
