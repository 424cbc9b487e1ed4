package hubenvelope

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Apply writes an envelope as one of a type. prior is nil for a new one, which must not exist yet; an equal one is what an apply leaves that was
// killed before it could save its state.
func Apply(ctx context.Context, hub *kube.Cluster, spec envelope.Spec, as envelope.Type, prior *engine.Envelope) (engine.Envelope, error) {
	want, err := spec.Encode(as)
	if err != nil {
		return engine.Envelope{}, err
	}
	live, err := hub.Get(ctx, as.Kind(), spec.Namespace, spec.Name)
	switch {
	case kube.IsNotFound(err):
		stored, err := hub.Create(ctx, want, kube.WriteOptions{Strict: true})
		return kept(stored, clusterset.Unreachable(hub.Name(), err))
	case err != nil:
		return engine.Envelope{}, clusterset.Unreachable(hub.Name(), err)
	}
	if err := mayWrite(want, live, prior); err != nil {
		return engine.Envelope{}, err
	}
	next := live.DeepCopy()
	next.Object["data"] = want.Object["data"]
	next.SetLabels(want.GetLabels())
	next.SetAnnotations(keepServerAnnotations(live.GetAnnotations(), want.GetAnnotations()))
	if same(next, live) {
		return kept(live, nil)
	}
	stored, err := hub.Update(ctx, next, kube.WriteOptions{Strict: true})
	return kept(stored, clusterset.Unreachable(hub.Name(), err))
}

// mayWrite tells whether the object that is there may be written: it is the one that was written before, or an equal one.
func mayWrite(want, live *unstructured.Unstructured, prior *engine.Envelope) error {
	id := manifest.NewObject(live, nil).Identifier
	if prior == nil {
		if same(want, live) {
			return nil
		}
		return &engine.ExistsError{What: "A " + id.String(), Where: "the hub", Import: engine.Reference{Namespace: live.GetNamespace(), Name: live.GetName()}.String()}
	}
	for _, object := range prior.Objects {
		if object.Key() == id.Key() && object.UID != "" && object.UID != string(live.GetUID()) {
			return fmt.Errorf("the %s on the hub is not the one this resource made: it was deleted and "+
				"made anew by somebody else. Remove the resource from the state and import it if it is to be managed here", id)
		}
	}
	return nil
}

// Read reads an envelope from the hub, or returns [engine.ErrNotFound]. An object that has lost the mark of an envelope is none, but it is
// still the object: its annotations show what is missing.
func Read(ctx context.Context, hub *kube.Cluster, reference engine.Reference, as envelope.Type) (engine.Envelope, error) {
	live, err := hub.Get(ctx, as.Kind(), reference.Namespace, reference.Name)
	if kube.IsNotFound(err) {
		return engine.Envelope{}, engine.ErrNotFound
	}
	return kept(live, clusterset.Unreachable(hub.Name(), err))
}

// Delete deletes the very objects that an envelope was kept in. One that is gone, or was made anew by somebody else, is no error.
func Delete(ctx context.Context, hub *kube.Cluster, prior engine.Envelope) error {
	for _, object := range prior.Objects {
		ref := kube.Ref{GVK: object.GroupVersionKind(), Namespace: object.Namespace, Name: object.Name}
		err := hub.Delete(ctx, ref, types.UID(object.UID), metav1.DeletePropagationBackground)
		if err != nil && !kube.IsNotFound(err) && !kube.IsConflict(err) { // a conflict is another object that has the name by now
			return clusterset.Unreachable(hub.Name(), err)
		}
	}
	return nil
}

// kept is the envelope that an object keeps, unless reading or writing the object failed.
func kept(u *unstructured.Unstructured, err error) (engine.Envelope, error) {
	if err != nil {
		return engine.Envelope{}, err
	}
	spec, _, err := envelope.Decode(u)
	return engine.Envelope{
		Spec: spec, Objects: []engine.KeptObject{{Identifier: manifest.NewObject(u, nil).Identifier, UID: string(u.GetUID())}},
	}, err
}

// same compares what an envelope's author decides about.
func same(a, b *unstructured.Unstructured) bool {
	specA, _, errA := envelope.Decode(a)
	specB, _, errB := envelope.Decode(b)
	return errA == nil && errB == nil && maps.Equal(specA.Manifests, specB.Manifests) && maps.Equal(specA.Labels, specB.Labels) &&
		maps.Equal(specA.Annotations, specB.Annotations)
}

const kubectlLastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// keepServerAnnotations keeps what kubectl puts on the object and its author does not decide about.
func keepServerAnnotations(live, want map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, want)
	if value, found := live[kubectlLastApplied]; found {
		out[kubectlLastApplied] = value
	}
	return out
}
