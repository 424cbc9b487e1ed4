package enginetest

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Request is a test's placement. Only its methods convert it to the types of package engine.
type Request struct {
	Name string
	// FormerName is the name at the last apply, if it was another one.
	FormerName string
	// ID is the identity of the resource that manages the placement, empty if unknown.
	ID        string
	Spec      placement.Spec
	Manifests map[string]string
	// WriteOnly are manifests that are not stored in the state.
	WriteOnly map[string]string
	// Again: the placement has been applied before. Prior is the status of the last apply, nil if unknown.
	Again bool
	Prior *placement.Status
	// Key signs the records, nil for none. KeyIsNew: it has not signed any records yet.
	Key      engine.Key
	KeyIsNew bool
	// Expected is what the plan of an apply has shown, ExpectedRemoval what that of a removal has shown.
	Expected, ExpectedRemoval *engine.Expectation
	// Run reports what the same run does with other placements, or is nil.
	Run engine.SameRun
	// IgnoreFields are the fields that an apply does not update.
	IgnoreFields ignore.Rules
	// TakesOverFrom are the placements that this one takes objects over from. Takers are the placements that take objects over from this one.
	TakesOverFrom []engine.Giver
	Takers        engine.Takers
	// MayArrive is passed to an apply. With nil, the apply waits for no kind.
	MayArrive func(kinds []schema.GroupVersionKind) bool
	// Wait makes an apply wait until everything is available.
	Wait bool
	// World has the changes that the same run plans for other resources. Only previews use it. put runs before the placement is applied, nil for nothing.
	World engine.World
	put   func(ctx context.Context) error
}

func (r Request) placement() engine.Placement {
	return engine.Placement{
		Reference: engine.Reference{Name: r.Name}, FormerName: r.FormerName, ID: r.ID, Spec: r.Spec, Manifests: r.Manifests, WriteOnly: r.WriteOnly, Prior: r.Prior,
		Key: r.Key, KeyIsNew: r.KeyIsNew, TakesOverFrom: r.TakesOverFrom, IgnoreFields: r.IgnoreFields,
	}
}

// Preview previews an apply.
func (r Request) Preview(ctx context.Context, e engine.Placements) (*engine.Preview, error) {
	return e.Preview(ctx, r.placement(), engine.PreviewOptions{Create: !r.Again && r.ID != "", Expected: r.Expected, World: r.World, Takers: r.Takers})
}

// PreviewDelete previews a removal.
func (r Request) PreviewDelete(ctx context.Context, e engine.Placements) (*engine.Preview, error) {
	return e.PreviewDelete(ctx, r.placement(), engine.DeleteOptions{Run: r.Run, Takers: r.Takers, World: r.World})
}

// Apply applies the placement, after put.
func (r Request) Apply(ctx context.Context, e engine.Placements) (*engine.Result, error) {
	if r.put != nil {
		if err := r.put(ctx); err != nil {
			return nil, err
		}
	}
	return e.ApplyPlacement(ctx, r.placement(), engine.ApplyOptions{Create: !r.Again, Expected: r.Expected, MayArrive: r.MayArrive, WaitUntilAvailable: r.Wait})
}

// Read reads the placement.
func (r Request) Read(ctx context.Context, e engine.Placements) (*engine.Recorded, error) {
	return e.ReadPlacement(ctx, r.placement())
}

// Delete removes the placement.
func (r Request) Delete(ctx context.Context, e engine.Placements) (*engine.Result, error) {
	return e.DeletePlacement(ctx, r.placement(), engine.DeleteOptions{Expected: r.ExpectedRemoval, Run: r.Run})
}

// Renamed returns the request under another name.
func (r Request) Renamed(name string) Request {
	r.Name, r.FormerName = name, r.Name
	return r
}

// After returns the request for the next apply.
func (r Request) After(status placement.Status) Request {
	r.Again, r.Prior, r.FormerName = true, &status, ""
	return r
}

// Strategy returns the request with an apply strategy.
func (r Request) Strategy(how placement.ApplyStrategy) Request {
	r.Spec.Strategy = &placement.Strategy{ApplyStrategy: &how}
	return r
}

// With returns the request with other manifests.
func (r Request) With(manifests map[string]string) Request {
	r.Manifests = manifests
	return r
}

// Manifests returns objects, written as YAML, as a placement's manifests. The keys are 00.yaml, 01.yaml and so on.
func (w *World) Manifests(texts ...string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, text := range texts {
		for _, u := range w.Objects(text) {
			data, err := yaml.Marshal(u.Object)
			if err != nil {
				w.Fatal(err)
			}
			out[fmt.Sprintf("%02d.yaml", len(out))] = string(data)
		}
	}
	return out
}

// Placing returns a placement of manifests on all members. The name must contain $ns, so that no other test has it.
func (w *World) Placing(name string, texts ...string) Request {
	w.Helper()
	return Request{Name: w.Expand(name), Manifests: w.Manifests(texts...), Key: engine.Key("the key of the tests")}
}

// Apply applies with a new engine behind the recorder, and waits until the control plane has settled.
func (w *World) Apply(request Request) *engine.Result {
	w.Helper()
	return w.ApplyBy(w.Engine(), request)
}

// ApplyBy applies with this engine, and waits until the control plane has settled.
func (w *World) ApplyBy(e engine.Engine, request Request) *engine.Result {
	w.Helper()
	result, err := request.Apply(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	w.settle(e, request, result)
	return result
}

// settle waits until the control plane has done its part of an apply, and updates the result.
func (w *World) settle(e engine.Engine, request Request, result *engine.Result) {
	w.Helper()
	if w.Fleet.Subject.Settle == nil {
		return
	}
	if err := w.Fleet.Subject.Settle(w.Context(), e, request.Name); err != nil {
		w.Fatal(err)
	}
	read, err := request.After(result.Status).Read(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	result.Status = read.Status
}

// Supplied returns the request for an engine that selects objects on a hub: its apply first writes the manifests there.
func (w *World) Supplied(request Request) Request {
	w.Helper()
	if w.Fleet.Subject.Supply == nil {
		return request
	}
	supplied := w.Fleet.Subject.Supply(w, request)
	supplied.Request.put = supplied.Put
	return supplied.Request
}

// Delete removes a placement with a new engine behind the recorder.
func (w *World) Delete(request Request) *engine.Result {
	w.Helper()
	result, err := request.Delete(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	return result
}
