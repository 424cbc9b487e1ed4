package kubefleet_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	inApp     = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app, labels: {app: $ns}}}"
	inSetting = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello}}"
)

// enveloped is a world with a placement of a Namespace that contains an envelope.
type enveloped struct {
	*enginetest.World
	engine   engine.Engine
	request  enginetest.Request
	envelope engine.Envelope
}

// newEnveloped puts a Namespace with an envelope of the manifests onto the hub. It does not apply the placement.
func newEnveloped(t *testing.T, how placement.ApplyStrategy, manifests ...string) *enveloped {
	t.Helper()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, inApp)
	out := &enveloped{World: w, engine: w.Engine(), request: placing(w).Strategy(how)}
	out.request.Wait = true
	out.envelope = out.write(envelope.Spec{Namespace: w.Expand("$ns-app"), Name: "first", Manifests: w.Manifests(manifests...)})
	return out
}

func (w *enveloped) write(spec envelope.Spec) engine.Envelope {
	w.Helper()
	out, err := w.engine.ApplyEnvelope(w.Context(), spec, nil)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *enveloped) apply() {
	w.Helper()
	result, err := w.request.Apply(w.Context(), w.engine)
	if err != nil || result.TimedOut {
		w.Fatalf("%+v, %v\nerrors of the agents: %v", result, err, lastError())
	}
	w.request = w.request.After(result.Status)
}

// previewWith returns the preview, and the predicted actions on the member, if the same run changes the envelope to becomes, or deletes it if becomes is nil.
// If becomes has another name, the run deletes the envelope and creates the other one.
func (w *enveloped) previewWith(becomes *envelope.Spec) (*engine.Preview, string) {
	w.Helper()
	request := w.request
	request.World.Envelopes = map[engine.Reference]engine.Planned[envelope.Spec]{
		{Namespace: w.envelope.Spec.Namespace, Name: w.envelope.Spec.Name}: {Was: &w.envelope.Spec},
	}
	if becomes != nil {
		request.World.Envelopes[engine.Reference{Namespace: becomes.Namespace, Name: becomes.Name}] = engine.Planned[envelope.Spec]{Want: becomes}
	}
	preview, err := request.Preview(w.Context(), w.engine)
	if err != nil {
		w.Fatal(err)
	}
	return preview, does(preview, w.Members[0])
}

// drop deletes the envelope from the hub.
func (w *enveloped) drop() {
	w.Helper()
	if err := w.engine.DeleteEnvelope(w.Context(), w.envelope); err != nil {
		w.Fatal(err)
	}
}

func warns(preview *engine.Preview, title string) bool {
	return slices.ContainsFunc(preview.Dangers, func(d engine.Danger) bool { return strings.Contains(d.Title, title) })
}

const moves = "an object that moves is deleted first"

// An object that moves to an envelope of another name is deleted with the first one and recreated, as the plan shows, with a danger.
func TestEnvelopeOfAnotherName(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newEnveloped(t, placement.ApplyStrategy{}, inSetting)
	w.DeleteAtEnd(w.request)
	w.apply()
	before := w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings")
	if preview, err := w.request.Preview(w.Context(), w.engine); err != nil || warns(preview, moves) ||
		does(preview, w.Members[0]) != w.Expand("none ConfigMap $ns-app/settings, none Namespace $ns-app") {
		t.Errorf("while nothing changes: %+v, %v", preview, err)
	}
	second := w.envelope.Spec
	second.Name = "second"
	preview, got := w.previewWith(&second)
	if want := w.Expand("none Namespace $ns-app, replace ConfigMap $ns-app/settings"); got != want || !warns(preview, moves) {
		t.Errorf("predicted %q, want %q, and the danger of %+v", got, want, preview.Dangers)
	}
	w.drop()
	w.write(second)
	w.apply()
	if after := w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings"); after.GetUID() == before.GetUID() {
		t.Error("the object was not recreated")
	}
}

// A Namespace that moves into an envelope is also recreated, and all its contents are deleted, regardless of who created them.
func TestNamespaceIntoEnvelope(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newEnveloped(t, placement.ApplyStrategy{}, inSetting)
	w.DeleteAtEnd(w.request)
	w.apply()
	w.Put(w.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: $ns-app}}")
	before := w.Must(w.Members[0], "v1 Namespace $ns-app")
	wraps := envelope.Spec{Namespace: w.Expand("$ns-app"), Name: w.Name, Manifests: w.Manifests(inApp), WireFormat: envelope.FormatClusterResourceEnvelope}
	written := w.write(wraps)
	t.Cleanup(func() {
		if err := w.engine.DeleteEnvelope(context.Background(), written); err != nil {
			t.Error(err)
		}
	})
	w.request.Spec.ResourceSelectors = []placement.ResourceSelector{
		{Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: "ClusterResourceEnvelope", Name: w.Name},
	}
	preview, err := w.request.Preview(w.Context(), w.engine)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := does(preview, w.Members[0]), w.Expand("prune ConfigMap $ns-app/settings, replace Namespace $ns-app"); got != want || !warns(preview, moves) {
		t.Errorf("predicted %q, want %q, and the danger of %+v", got, want, preview.Dangers)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name == w.Members[0] && o.Kind == "Namespace" && (o.Contents == nil || o.Contents.Names() != w.Expand("ConfigMap $ns-app/theirs")) {
				t.Errorf("with the Namespace go %+v", o.Contents)
			}
		}
	}
	w.apply()
	if after := w.Must(w.Members[0], "v1 Namespace $ns-app"); after.GetUID() == before.GetUID() || w.Find(w.Members[0], "v1 ConfigMap $ns-app/theirs") != nil {
		t.Error("the Namespace was not recreated")
	}
}

// Objects of an envelope are deleted with it, with any strategy, even if no AppliedWork lists them: objects taken over for a report, and objects taken over
// and then rejected.
func TestEnvelopeGoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how    placement.ApplyStrategy
		theirs string
	}{
		"reported": {placement.ApplyStrategy{Type: placement.ReportDiff}, "data: {greeting: hello}"},
		"refused":  {placement.ApplyStrategy{}, "data: {greeting: hi}, immutable: true"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "refused" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newEnveloped(t, c.how, inSetting)
			w.Put(w.Members[0], inApp)
			w.Put(w.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, "+c.theirs+"}")
			w.DeleteAtEnd(w.request)
			w.request.Wait = false
			w.apply()
			w.Eventually("the agent owns the object", func() bool {
				return len(w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings").GetOwnerReferences()) > 0
			})
			_, got := w.previewWith(nil)
			if !strings.Contains(got, w.Expand("prune ConfigMap $ns-app/settings")) || strings.Contains(got, "prune Namespace") {
				t.Errorf("predicted %q", got)
			}
			w.drop()
			w.apply()
			w.AwaitGone(w.Members[0], "v1 ConfigMap $ns-app/settings")
			w.Must(w.Members[0], "v1 Namespace $ns-app")
		})
	}
}
