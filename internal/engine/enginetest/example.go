package enginetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// example is a placement from KubeFleet's documentation, with its final status. It runs on three members, which have the labels in labels.
type example struct {
	name string
	// hub are the initial objects on the hub, member those on some members. The names of selected namespaces begin with $ns-. Each namespaced object states its
	// namespace.
	hub    string
	member map[string]string
	// envelope is created on the hub, nil for none.
	envelope *envelope.Spec
	// spec is the placement's spec. Its texts may contain $ns.
	spec placement.Spec
	// places are the objects that exist in the end on the members where the placement is applied, and on other members only if they existed there before.
	places []string
	ends   Ends
}

// examples runs the examples in parallel, each with its own world.
func (c *contract) examples(t *testing.T) {
	if c.fleet.Hub == "" || len(c.fleet.Members) < len(labels) {
		t.Fatalf("the examples need a hub and %d members", len(labels))
	}
	for _, e := range examples {
		if ends := c.fleet.Subject.Deviations[e.name].Ends; ends != nil {
			e.ends = *ends
		}
		c.runCase(t, "examples", e.name, func(tb testing.TB) { e.run(c.fleet.World(tb, len(labels))) })
	}
}

// request returns the placement with the world's names.
func (e example) request(w *World) Request {
	spec := e.spec
	spec.ResourceSelectors = slices.Clone(spec.ResourceSelectors)
	for i, s := range spec.ResourceSelectors {
		s.Name = w.Expand(s.Name)
		if s.LabelSelector != nil {
			s.LabelSelector = s.LabelSelector.DeepCopy()
			for key, value := range s.LabelSelector.MatchLabels {
				s.LabelSelector.MatchLabels[key] = w.Expand(value)
			}
		}
		spec.ResourceSelectors[i] = s
	}
	return Request{Name: w.Name, Spec: spec}
}

func (e example) run(w *World) {
	if e.hub != "" {
		w.Put(w.Env.Hub, e.hub)
	}
	for member, text := range e.member {
		w.Put(member, text)
	}
	clients := w.Connect(Access{Kubeconfig: w.Kubeconfig(), WithHub: true})
	subject := w.Fleet.Subject.New(clients)
	request := e.request(w)
	if e.envelope != nil {
		request.Spec.ResourceSelectors = append(request.Spec.ResourceSelectors, e.put(w, subject)...)
	}
	e.deleteAtEnd(w, request)

	before := e.findPlaced(w)
	w.Reset()
	preview, err := request.Preview(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range w.Writes() {
		w.Errorf("the preview wrote: %s", r)
	}
	if diff := cmp.Diff(sorted(e.ends.Clusters), pickedBy(preview)); diff != "" {
		w.Errorf("picked clusters (-want +got):\n%s", diff)
	}
	result := w.ApplyBy(subject, request)
	e.checkStatus(w, result.Status)
	e.checkPlaced(w, before, e.findPlaced(w))

	again := request.After(result.Status)
	read, err := again.Read(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	e.checkStatus(w, read.Status)
	next, err := again.Preview(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	if rejected := rejects(next) && next.Hub == nil; next.Pending() != rejected {
		w.Errorf("changes pending after the apply: %v, want %v: %+v", next.Pending(), rejected, next.Clusters)
	}
	predicted := w.previewRemoval(subject, again)
	if _, err := again.Delete(w.Context(), subject); err != nil {
		w.Fatal(err)
	}
	w.checkRemoval(predicted)
	if diff := cmp.Diff(e.remaining(w, before, predicted), e.findPlaced(w)); diff != "" {
		w.Errorf("objects after the deletion (-want +got):\n%s", diff)
	}
}

// remaining returns the objects that existed before, except those that the removal deletes.
func (e example) remaining(w *World, before map[string]bool, removal *engine.Preview) map[string]bool {
	out := maps.Clone(before)
	for _, cluster := range removal.Clusters {
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionPrune {
				continue
			}
			for object := range before {
				member, name, _ := strings.Cut(w.Expand(object), ": ")
				inside := o.Kind == "Namespace" && strings.Contains(name, " "+o.Name+"/")
				if member == cluster.Name && (inside || name == identifier(o.Identifier)) {
					delete(out, object)
				}
			}
		}
	}
	return out
}

// put creates the envelope on the hub, and deletes it when the test ends. It returns the selectors of the cluster-scoped objects.
func (e example) put(w *World, subject engine.Engine) []placement.ResourceSelector {
	w.Helper()
	spec := *e.envelope
	spec.Namespace = w.Expand(spec.Namespace)
	spec.Manifests = map[string]string{}
	for key, text := range e.envelope.Manifests {
		spec.Manifests[key] = w.Expand(text)
	}
	kept, err := subject.ApplyEnvelope(w.Context(), spec, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if err := subject.DeleteEnvelope(ctx, kept); err != nil {
			w.Error(err)
		}
	})
	return kept.Selectors()[1:]
}

// deleteAtEnd deletes the placement at the end of a failed test, which may not have deleted it.
func (e example) deleteAtEnd(w *World, request Request) {
	w.Cleanup(func() {
		if !w.Failed() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		clients := w.Fleet.Connect(w.Members, Access{Kubeconfig: w.Env.Kubeconfig, WithHub: true})
		defer clients.Close()
		_, _ = request.Delete(ctx, w.Fleet.Subject.New(clients))
	})
}

// parts returns the objects of places that the engine can place.
func (e example) parts(w *World) []string {
	if w.Fleet.Subject.Namespaces == "" {
		return e.places
	}
	return slices.DeleteFunc(slices.Clone(e.places), func(object string) bool { return strings.HasPrefix(object, "v1 Namespace ") })
}

// findPlaced returns which of the placed objects exist, as "member-1: v1 Namespace $ns-web".
func (e example) findPlaced(w *World) map[string]bool {
	w.Helper()
	out := map[string]bool{}
	for _, member := range w.Members {
		for _, object := range e.parts(w) {
			if w.Find(member, object) != nil {
				out[member+": "+object] = true
			}
		}
	}
	return out
}

// checkPlaced checks that the objects exist on the members where the placement is applied, and elsewhere only where they existed before.
func (e example) checkPlaced(w *World, before, after map[string]bool) {
	w.Helper()
	want := maps.Clone(before)
	for member, cluster := range e.ends.Clusters {
		for _, object := range e.parts(w) {
			failed := slices.ContainsFunc(cluster.Failed, func(text string) bool { return strings.HasPrefix(text, object+": ") })
			if !failed {
				want[member+": "+object] = true
			}
		}
	}
	if diff := cmp.Diff(want, after); diff != "" {
		w.Errorf("placed objects (-want +got):\n%s", diff)
	}
}

func pickedBy(preview *engine.Preview) []string {
	var out []string
	for _, cluster := range preview.Clusters {
		if cluster.Picked {
			out = append(out, cluster.Name)
		}
	}
	return out
}

func rejects(preview *engine.Preview) bool {
	return slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool {
		return slices.ContainsFunc(c.Objects, engine.ObjectPreview.Rejected)
	})
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
