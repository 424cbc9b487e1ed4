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

// example is a placement of the documentation that the resources are modelled on, on a fleet of three members, and the status that it
// ends in. The members have the labels that the fleet gives them.
type example struct {
	name string
	// hub is what is on the hub before, member what is on some members. Selected namespaces begin with $ns-, and what is in one names it.
	hub    string
	member map[string]string
	// envelope is kept on the hub; nil for none.
	envelope *envelope.Spec
	// spec is the placement's. Its texts may say $ns.
	spec placement.Spec
	// places are objects that are on the members in the end that the placement is applied on, and on no others that did not have them.
	places []string
	ends   Ends
}

// examples runs all examples, each with a world of its own and all at once.
func (c *contract) examples(t *testing.T) {
	if c.fleet.Hub == "" || len(c.fleet.Members) < len(labels) {
		t.Fatalf("the examples need a hub and %d members", len(labels))
	}
	for _, e := range examples {
		if ends := c.fleet.Subject.Deviations[e.name].Ends; ends != nil {
			e.ends = *ends
		}
		c.each(t, "examples", e.name, func(tb testing.TB) { e.run(c.fleet.World(tb, len(labels))) })
	}
}

// request is the placement with the world's names.
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

	before := e.found(w)
	w.Reset()
	preview, err := request.Preview(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range w.Writes() {
		w.Errorf("the preview wrote: %s", r)
	}
	if diff := cmp.Diff(sorted(e.ends.Clusters), pickedBy(preview)); diff != "" {
		w.Errorf("the preview picks (-want +got):\n%s", diff)
	}
	result := w.ApplyBy(subject, request)
	e.endsSo(w, result.Status)
	e.isPlaced(w, before, e.found(w))

	again := request.After(result.Status)
	read, err := again.Read(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	e.endsSo(w, read.Status)
	next, err := again.Preview(w.Context(), subject)
	if err != nil {
		w.Fatal(err)
	}
	if rejected := rejects(next) && !next.Predicted; next.Pending() != rejected {
		w.Errorf("after the apply, there is something to do: %v; should be: %v: %+v", next.Pending(), rejected, next.Clusters)
	}
	foreseen := w.foreseenRemoval(subject, again)
	if _, err := again.Delete(w.Context(), subject); err != nil {
		w.Fatal(err)
	}
	w.isRemoved(foreseen)
	if diff := cmp.Diff(e.remains(w, before, foreseen), e.found(w)); diff != "" {
		w.Errorf("after the deletion, other objects are there than before (-before +after):\n%s", diff)
	}
}

// remains are the objects that were there before, less those that a removal takes with it.
func (e example) remains(w *World, before map[string]bool, removal *engine.Preview) map[string]bool {
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

// put keeps the envelope on the hub until the test ends. It returns the selectors of what is in no namespace.
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

// deleteAtEnd removes the placement if the test ended before it did.
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

// parts are the objects that the engine places as it is asked to.
func (e example) parts(w *World) []string {
	if w.Fleet.Subject.Namespaces == "" {
		return e.places
	}
	return slices.DeleteFunc(slices.Clone(e.places), func(object string) bool { return strings.HasPrefix(object, "v1 Namespace ") })
}

// found are the placed objects that there are, as "member-1: v1 Namespace $ns-web".
func (e example) found(w *World) map[string]bool {
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

// isPlaced wants the objects to be on the members that the placement is applied on, and otherwise where they were before.
func (e example) isPlaced(w *World, before, after map[string]bool) {
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

// Example is a placement of the documentation that the resources are modelled on.
type Example struct {
	Name string
	Spec placement.Spec
	// Envelope is kept on the hub beside it; nil for none.
	Envelope *envelope.Spec
}

// Examples are all of them. Their texts may say $ns.
func Examples() []Example {
	out := make([]Example, len(examples))
	for i, e := range examples {
		out[i] = Example{Name: strings.TrimPrefix(e.name, "example: "), Spec: e.spec, Envelope: e.envelope}
	}
	return out
}
