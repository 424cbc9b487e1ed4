package direct

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckEnvelopes tells whether there is a hub.
func (e *Engine) CheckEnvelopes() error {
	if e.hub == nil {
		return &engine.NoHubError{}
	}
	return nil
}

// ApplyEnvelope writes the envelope's ConfigMap on the hub.
func (e *Engine) ApplyEnvelope(ctx context.Context, spec envelope.Spec, uid string, create bool) (engine.EnvelopeState, error) {
	if err := e.CheckEnvelopes(); err != nil {
		return engine.EnvelopeState{}, err
	}
	want := spec.ConfigMap()
	live, err := e.hub.Get(ctx, configMapKind, spec.Namespace, spec.Name)
	switch {
	case kube.IsNotFound(err):
		stored, err := e.hub.Create(ctx, want, kube.WriteOptions{Strict: true})
		return envelopeState(stored), reached(e.hub.Name(), err)
	case err != nil:
		return engine.EnvelopeState{}, reached(e.hub.Name(), err)
	case create && !sameEnvelope(want, live):
		return engine.EnvelopeState{}, &engine.ExistsError{
			What: fmt.Sprintf("A ConfigMap %s/%s", spec.Namespace, spec.Name), Where: "the hub", Import: spec.Namespace + "/" + spec.Name,
		}
	case !create && uid != "" && uid != string(live.GetUID()):
		return engine.EnvelopeState{}, fmt.Errorf("the ConfigMap %s/%s on the hub is not the one this resource made: it was deleted and "+
			"made anew by somebody else. Remove the resource from the state and import it if it is to be managed here", spec.Namespace, spec.Name)
	}
	next := live.DeepCopy()
	next.Object["data"] = want.Object["data"]
	next.SetLabels(want.GetLabels())
	next.SetAnnotations(keepServerAnnotations(live.GetAnnotations(), want.GetAnnotations()))
	if sameEnvelope(next, live) {
		return envelopeState(live), nil
	}
	stored, err := e.hub.Update(ctx, next, kube.WriteOptions{Strict: true})
	return envelopeState(stored), reached(e.hub.Name(), err)
}

// ReadEnvelope reads the envelope from the hub. A ConfigMap that has lost the annotation is no envelope, but it is still the object: its
// annotations show what is missing.
func (e *Engine) ReadEnvelope(ctx context.Context, namespace, name string) (engine.EnvelopeState, error) {
	if err := e.CheckEnvelopes(); err != nil {
		return engine.EnvelopeState{}, err
	}
	live, err := e.hub.Get(ctx, configMapKind, namespace, name)
	if kube.IsNotFound(err) {
		return engine.EnvelopeState{}, engine.ErrNotFound
	}
	if err != nil {
		return engine.EnvelopeState{}, reached(e.hub.Name(), err)
	}
	return envelopeState(live), nil
}

// DeleteEnvelope deletes the envelope from the hub.
func (e *Engine) DeleteEnvelope(ctx context.Context, namespace, name, uid string) error {
	if err := e.CheckEnvelopes(); err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(configMapKind)
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetUID(types.UID(uid))
	err := remove(ctx, e.hub, u)
	if kube.IsConflict(err) {
		return nil // another object has the name by now
	}
	return reached(e.hub.Name(), err)
}

func envelopeState(u *unstructured.Unstructured) engine.EnvelopeState {
	if u == nil {
		return engine.EnvelopeState{}
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	annotations := maps.Clone(u.GetAnnotations())
	return engine.EnvelopeState{UID: string(u.GetUID()), Spec: envelope.Spec{
		Name: u.GetName(), Namespace: u.GetNamespace(), Labels: u.GetLabels(), Annotations: annotations, Manifests: data,
	}}
}

// sameEnvelope compares what an envelope's author decides about.
func sameEnvelope(a, b *unstructured.Unstructured) bool {
	dataA, _, _ := unstructured.NestedStringMap(a.Object, "data")
	dataB, _, _ := unstructured.NestedStringMap(b.Object, "data")
	return maps.Equal(dataA, dataB) && maps.Equal(a.GetLabels(), b.GetLabels()) && maps.Equal(a.GetAnnotations(), b.GetAnnotations())
}

// keepServerAnnotations keeps what tools put on the object that its author does not decide about.
func keepServerAnnotations(live, want map[string]string) map[string]string {
	out := maps.Clone(want)
	if value, found := live["kubectl.kubernetes.io/last-applied-configuration"]; found {
		out["kubectl.kubernetes.io/last-applied-configuration"] = value
	}
	return out
}
