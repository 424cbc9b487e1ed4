package plan

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// Purpose is what a plan is made for.
type Purpose int

const (
	// Applying makes the writes in earnest, and has all objects as they are.
	Applying Purpose = iota
	// Previewing makes the writes as dry runs, to know what will come of them.
	Previewing
	// Reading wants to know what has become of the objects.
	Reading
)

// Options say what a plan is made for and what it is held to.
type Options struct {
	Purpose Purpose
	// Replaces is the removal that is carried out first, nil for none.
	Replaces *Plan
	// Create says that the placement is new.
	Create bool
	// Run is that of [engine.DeleteOptions].
	Run engine.SameRun
	// World, Expected and Takers are those of [engine.PreviewOptions].
	World    engine.World
	Expected *engine.Expectation
	Takers   engine.Takers
	// AwaitsKinds says that the apply waits for kinds that are not served.
	AwaitsKinds bool
	// Version is the provider's, recorded as the tool that wrote an inventory.
	Version string
}

// asks tells whether the API servers are asked what will come of writes: for a preview, and to read what an earlier status does not tell.
func (p *Plan) asks() bool {
	return p.options.Purpose == Previewing || p.options.Purpose == Reading && p.Placement.Prior == nil
}

// Plan is a preview with everything that is needed to carry it out.
type Plan struct {
	// Placement is what was asked for, Spec its spec with defaults.
	Placement engine.Placement
	Spec      placement.Spec
	Content   *source.Content
	Outcome   schedule.Outcome
	Clusters  []*Cluster // by name
	// Head is what the inventories are to say of all clusters, Recorded the newest inventory as it is, nil if there is none.
	Head     record.Head
	Recorded *record.Inventory
	// Removing says that the whole placement is to go.
	Removing bool
	At       time.Time // when the clusters were looked at

	options Options
	schema  diff.Schema
	// sent are the objects of the content as they are sent, for all clusters that have no overrides for them.
	sent []*unstructured.Unstructured
}

// New finds out what an apply would do. What is to be placed and what the clusters say is asked for at once: neither has to wait for the
// other's answers. An error of the content ends the looking.
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options Options) (*Plan, error) {
	looking, cancel := context.WithCancel(ctx)
	defer cancel()
	var content *source.Content
	var contentErr error
	var survey *Survey
	var wait sync.WaitGroup
	wait.Go(func() {
		if content, contentErr = source.Resolve(looking, clusters, p, source.Options{World: options.World}); contentErr != nil {
			cancel()
		}
	})
	wait.Go(func() {
		survey = Look(looking, clusters, p)
		survey.foresee(options.World)
		survey.measure(looking, clusters, p.Spec.Policy)
	})
	wait.Wait()
	if contentErr != nil {
		return nil, contentErr
	}
	return build(ctx, clusters, p, content, survey, options)
}

// From finds it out for clusters that have been looked at already.
func From(ctx context.Context, clusters *clusterset.Set, p engine.Placement, survey *Survey, options Options) (*Plan, error) {
	content, err := source.Resolve(ctx, clusters, p, source.Options{World: options.World})
	if err != nil {
		return nil, err
	}
	survey.measure(ctx, clusters, p.Spec.Policy)
	return build(ctx, clusters, p, content, survey, options)
}

func build(
	ctx context.Context, clusters *clusterset.Set, p engine.Placement, content *source.Content, survey *Survey, options Options,
) (*Plan, error) {
	out := &Plan{Placement: p, Spec: p.Spec.Defaulted(), Content: content, At: time.Now(), options: options, schema: clusters.Schema}
	var err error
	if out.Outcome, err = out.schedule(survey.Members); err != nil {
		return nil, err
	}
	if survey.HubErr != nil {
		return nil, survey.HubErr
	}
	digest := placement.NewDigestOf(content.Canonicals, p.Spec, p.Manifests, p.WriteOnly)
	out.Recorded, _ = survey.Newest(digest)
	out.Head = nextHead(p, content, out.Recorded, digest)
	out.Head.HubUID = survey.HubUID
	if err := cmp.Or(out.claim(survey), out.checkRename(survey)); err != nil {
		return nil, err
	}
	for _, object := range content.Objects {
		out.sent = append(out.sent, outgoing(object.Content, record.ApplySetID(p.Name)))
	}
	for _, v := range survey.Members {
		out.Clusters = append(out.Clusters, out.newCluster(v))
	}
	err = clusters.Each(ctx, out.Names(), func(ctx context.Context, name string) error {
		c := out.Cluster(name)
		c.examine(ctx)
		if clusterset.IsOffline(c.Err) {
			return nil // the others go on without it
		}
		return c.Err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	if err == nil {
		err = out.confirm()
	}
	return out, err
}

// Removal finds out what removing the whole placement would do. What stands in the way on one cluster is that cluster's error. One whose
// records could be read, and whose objects could not, has the latter to be pruned all the same. A removal that is to be carried out has the
// records alone: each cluster is examined when its turn has come, so that a slow one holds up no other.
func Removal(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options Options) (*Plan, error) {
	out := &Plan{Placement: p, Spec: p.Spec.Defaulted(), Content: &source.Content{}, Removing: true, At: time.Now(), options: options, schema: clusters.Schema}
	survey := Look(ctx, clusters, p)
	out.Recorded, _ = survey.Newest(placement.NewDigest(p.Spec, p.Manifests, p.WriteOnly))
	if err := out.claim(survey); err != nil {
		return nil, err
	}
	for _, v := range survey.Members {
		if v.Former != nil && len(v.Former.Objects) > 0 {
			v.Inventory, v.Former = v.Former, nil // it goes too
		}
		c := out.newCluster(v)
		c.Prunable = c.findPrunable()
		out.Clusters = append(out.Clusters, c)
	}
	if options.Purpose != Applying {
		_ = clusters.Each(ctx, out.Names(), func(ctx context.Context, name string) error {
			out.Cluster(name).ExamineRemoval(ctx)
			return nil
		})
	}
	if err := clusterset.Ended(ctx); err != nil {
		return out, err
	}
	return out, out.confirm()
}

// Names are those of the clusters.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		names[i] = c.Name
	}
	return names
}

// Cluster returns the one with a name; nil if there is none.
func (p *Plan) Cluster(name string) *Cluster {
	i := slices.IndexFunc(p.Clusters, func(c *Cluster) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return p.Clusters[i]
}

// Strategy is how objects are applied.
func (p *Plan) Strategy() *placement.ApplyStrategy { return p.Spec.Strategy.ApplyStrategy }

// Reports tells whether differences are reported and nothing is applied.
func (p *Plan) Reports() bool { return p.Strategy().Type == placement.ReportDiff }

// Index is the content that is to be placed, as the status shows it.
func (p *Plan) Index() string { return strconv.FormatInt(p.Head.ResourceIndex, 10) }

// Manifests are those of the placement as they are kept.
func (p *Plan) Manifests() record.Manifests {
	return record.Manifests{Stored: p.Placement.Manifests, WriteOnly: p.Placement.WriteOnly}
}

// Picks returns an error if clusters are picked that the plan did not show as picked: nothing was agreed to about them.
func (p *Plan) Picks() error {
	var found []engine.Contradiction
	for _, c := range p.Clusters {
		if !c.Decision.Selected {
			continue
		}
		if problem := p.options.Expected.ContradictsPick(c.Name); problem != "" {
			found = append(found, engine.Contradiction{Cluster: c.Name, Problem: problem})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &engine.ContradictionError{Contradictions: found}
}

// Fits checks before anything is written that the records of the placement can be written to the end.
func (p *Plan) Fits() error {
	packed, err := record.ManifestsSize(p.Placement.Name, p.Manifests())
	if err != nil {
		return err
	}
	for _, c := range p.Clusters {
		if c.Err != nil || !c.Decision.Selected && c.Inventory == nil {
			continue
		}
		tooLarge := &record.TooLargeError{Placement: p.Placement.Name, Cluster: c.Name, Objects: len(c.Items)}
		if tooLarge.Size, tooLarge.What = packed, "the Secret that keeps its manifests"; tooLarge.Size > record.Limit {
			return tooLarge
		}
		if tooLarge.Size, err = c.WriteAhead(record.NewUnderWay(engine.OperationApply, p.At)).GrownSize(p.options.Version); err != nil {
			return err
		}
		if tooLarge.What = "its inventory"; tooLarge.Size > record.Limit {
			return tooLarge
		}
	}
	return nil
}

// Preview is the part of the plan that others may see.
func (p *Plan) Preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.Placement.Name, Selected: p.Content.Selected, EmptySelectors: p.Content.Empty, Unselected: p.Content.Unselected,
		Skipped: p.Content.Skipped, Fulfilled: p.Outcome.Fulfilled || p.Removing, Unknown: p.options.World.Unknown(), Definitions: p.Content.Definitions,
	}
	for _, c := range p.Others() {
		out.UnderWay = c.UnderWay()
	}
	out.Remaining, out.MissingGivers = p.remaining(), p.missingGivers()
	out.Dangers = p.overrideDangers()
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
		if c.Client != nil {
			out.Manager = c.Client.FieldManager("")
		}
	}
	// Names that the policy asks for and no connection exists for have a decision and no cluster.
	for _, decision := range p.Outcome.Decisions {
		if p.Cluster(decision.Cluster) == nil {
			out.Clusters = append(out.Clusters, engine.ClusterPreview{
				Name: decision.Cluster, Reason: decision.Reason, Cause: decision.Cause, Look: engine.LookOffline,
			})
		}
	}
	return out
}
