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

// Purpose is the use of a plan.
type Purpose int

const (
	// Applying is a plan to execute: an apply or a removal. It decodes every object that it reads.
	Applying Purpose = iota
	// Previewing is a plan to show. It sends the writes as dry runs, unless their results are known already.
	Previewing
	// Reading is a plan for a refresh, or for the read after an import, which sends dry runs like a preview.
	Reading
)

// Options are the options of a plan.
type Options struct {
	Purpose Purpose
	// Replaces is the plan of the removal that precedes this plan, or nil.
	Replaces *Plan
	// Create is as in [engine.PreviewOptions].
	Create bool
	// Run is as in [engine.DeleteOptions].
	Run engine.SameRun
	// World, Expected and Takers are as in [engine.PreviewOptions].
	World    engine.World
	Expected *engine.Expectation
	Takers   engine.Takers
	// AwaitsKinds reports that the apply waits for kinds that are not served.
	AwaitsKinds bool
	// Version is the provider's version, for the tooling annotation of inventories.
	Version string
}

func (p *Plan) usesDryRuns() bool {
	return p.options.Purpose == Previewing || p.options.Purpose == Reading && p.Placement.Prior == nil
}

// Plan is a preview with the data that package apply needs to execute it.
type Plan struct {
	// Placement is the placement as requested, and Spec is its spec with defaults.
	Placement engine.Placement
	Spec      placement.Spec
	Content   *source.Content
	Outcome   schedule.Outcome
	Clusters  []*Cluster // by name
	// Head is the common part of the new inventories. Recorded is the newest inventory, or nil.
	Head     record.Head
	Recorded *record.Inventory
	Removing bool
	At       time.Time // when the clusters were checked

	options Options
	schema  diff.Schema
	// sent has the objects of the content as sent to clusters where no override applies to them.
	sent []*unstructured.Unstructured
}

// New returns the plan of an apply. It resolves the content and reads the records of the clusters concurrently. If the content cannot be resolved, it cancels the
// survey.
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options Options) (*Plan, error) {
	readCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	var content *source.Content
	var contentErr error
	var survey *Survey
	var wait sync.WaitGroup
	wait.Go(func() {
		if content, contentErr = source.Resolve(readCtx, clusters, p, source.Options{World: options.World}); contentErr != nil {
			cancel()
		}
	})
	wait.Go(func() {
		survey = ReadRecords(readCtx, clusters, p)
		survey.predict(options.World)
		survey.measure(readCtx, clusters, p.Spec.Policy)
	})
	wait.Wait()
	if contentErr != nil {
		return nil, contentErr
	}
	return build(ctx, clusters, p, content, survey, options)
}

// From returns the plan of an apply for clusters that have already been surveyed.
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
			return nil // the plan covers the other clusters
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

// Removal returns the plan to remove the whole placement. If a cluster cannot be read, Removal sets its Err and continues with the others. If only the objects
// of a cluster cannot be read, the plan still lists the objects to prune. With the purpose [Applying], Removal reads only the records. Package apply then
// calls [Cluster.ExamineRemoval] before it removes objects from a cluster, so that a slow cluster does not delay the others.
func Removal(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options Options) (*Plan, error) {
	out := &Plan{Placement: p, Spec: p.Spec.Defaulted(), Content: &source.Content{}, Removing: true, At: time.Now(), options: options, schema: clusters.Schema}
	survey := ReadRecords(ctx, clusters, p)
	survey.predict(options.World)
	out.Recorded, _ = survey.Newest(placement.NewDigest(p.Spec, p.Manifests, p.WriteOnly))
	if err := out.claim(survey); err != nil {
		return nil, err
	}
	for _, v := range survey.Members {
		if v.Former != nil && len(v.Former.Objects) > 0 {
			v.Inventory, v.Former = v.Former, nil // the removal also deletes the record of a cluster that the placement has left
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

// Names returns the names of the clusters.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		names[i] = c.Name
	}
	return names
}

// Cluster returns the cluster with the name, or nil.
func (p *Plan) Cluster(name string) *Cluster {
	i := slices.IndexFunc(p.Clusters, func(c *Cluster) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return p.Clusters[i]
}

// Strategy returns the apply strategy.
func (p *Plan) Strategy() *placement.ApplyStrategy { return p.Spec.Strategy.ApplyStrategy }

// Reports reports whether the strategy only reports differences and applies nothing.
func (p *Plan) Reports() bool { return p.Strategy().Type == placement.ReportDiff }

// Index returns the resource index of the content to place, as the status shows it.
func (p *Plan) Index() string { return strconv.FormatInt(p.Head.ResourceIndex, 10) }

// Manifests returns the placement's manifests for the record.
func (p *Plan) Manifests() record.Manifests {
	return record.Manifests{Stored: p.Placement.Manifests, WriteOnly: p.Placement.WriteOnly}
}

// Picks returns an error if the plan picks clusters that the approved plan did not show as picked.
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

// Fits returns an error if a record of the placement would become too large. It is called before the first write.
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
		if tooLarge.Size, tooLarge.What = packed, "the Secret that stores its manifests"; tooLarge.Size > record.Limit {
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

// Preview returns the plan as a preview of the engine's interface.
func (p *Plan) Preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.Placement.Name, Selected: p.Content.Selected, EmptySelectors: p.Content.Empty, Unselected: p.Content.Unselected,
		Skipped: p.Content.Skipped, Fulfilled: p.Outcome.Fulfilled || p.Removing, Unknown: p.options.World.Unknown(), Definitions: p.Content.Definitions,
	}
	for _, c := range p.Others() {
		out.InProgress = c.InProgress()
	}
	out.Remaining, out.MissingGivers = p.remaining(), p.missingGivers()
	out.Dangers = p.overrideDangers()
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
		if c.Client != nil {
			out.Manager = c.Client.FieldManager("")
		}
	}
	// A cluster that the policy names, but the provider has no connection to, has a decision and no plan.
	for _, decision := range p.Outcome.Decisions {
		if p.Cluster(decision.Cluster) == nil {
			out.Clusters = append(out.Clusters, engine.ClusterPreview{
				Name: decision.Cluster, Reason: decision.Reason, Cause: decision.Cause, CheckMethod: engine.CheckOffline,
			})
		}
	}
	return out
}
