package hubenvelope

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// object is an object that will contain an envelope. want is the desired object. live is the object on the hub, or nil if it does not exist.
type object struct {
	want, live *unstructured.Unstructured
	// before is the envelope as last written.
	before envelope.Spec
}

// readForWrite reads the live object, if it exists, and returns an error if it must not be written.
func readForWrite(ctx context.Context, hub *kube.Cluster, want *unstructured.Unstructured, namespace string, prior *engine.Envelope) (object, error) {
	out := object{want: want}
	live, err := hub.Get(ctx, want.GroupVersionKind(), want.GetNamespace(), want.GetName())
	switch {
	case kube.IsNotFound(err):
		return out, nil
	case err != nil:
		return out, clusterset.Unreachable(hub.Name(), err)
	}
	out.live = live
	if prior != nil {
		out.before = prior.Spec
	}
	return out, mayWrite(hub, want, live, namespace, prior)
}

// mayWrite returns nil if the live object may be written: it is the object of the last write, already contains everything that this write would set, or was
// written by a failed apply of this resource.
func mayWrite(hub *kube.Cluster, want, live *unstructured.Unstructured, namespace string, prior *engine.Envelope) error {
	id, owner := identifier(live), ownerOf(envelope.Type(live.GetKind()), live)
	exists := &engine.ExistsError{What: "A " + id.String(), Where: "the hub", Import: engine.Reference{Namespace: namespace, Name: live.GetName()}.String()}
	if owner != "" && owner != namespace {
		exists.Owner = "the envelope " + engine.Reference{Namespace: owner, Name: live.GetName()}.String()
		return exists
	}
	if known, err := isKnown(hub, live, namespace, prior); known || err != nil {
		return err
	}
	// A cluster-scoped object with this annotation was written for the envelope of this resource, by an apply that failed.
	if holds(live, want) || prior != nil && id.Namespace == "" && owner == namespace {
		return nil
	}
	if owner == "" {
		exists.Mark = markOf(id, namespace)
	}
	return exists
}

// write creates the object, or updates it if it differs. It keeps labels and annotations that others have set on the object.
func (o object) write(ctx context.Context, hub *kube.Cluster) (engine.Envelope, error) {
	if o.live == nil {
		stored, err := hub.Create(ctx, o.want, kube.WriteOptions{Strict: true})
		return kept(stored, clusterset.Unreachable(hub.Name(), err))
	}
	next := o.live.DeepCopy()
	next.Object["data"] = o.want.Object["data"]
	next.SetLabels(merge(o.live.GetLabels(), o.before.Labels, o.want.GetLabels()))
	next.SetAnnotations(merge(o.live.GetAnnotations(), o.before.Annotations, o.want.GetAnnotations()))
	if holds(next, o.live) && holds(o.live, next) {
		return kept(o.live, nil)
	}
	stored, err := hub.Update(ctx, next, kube.WriteOptions{Strict: true})
	return kept(stored, clusterset.Unreachable(hub.Name(), err))
}

// merge returns the labels or annotations to write. It removes the entries of the last write that are no longer desired, and keeps the entries of others.
func merge(live, before, want map[string]string) map[string]string {
	out := maps.Clone(live)
	if out == nil {
		out = map[string]string{}
	}
	maps.DeleteFunc(out, func(key, _ string) bool { _, was := before[key]; return was })
	maps.Copy(out, want)
	return out
}

// holds reports whether u has the manifests and the namespace of wanted, and at least its labels and annotations.
func holds(u, wanted *unstructured.Unstructured) bool {
	spec, _, err := envelope.Decode(u)
	want, _, errWanted := envelope.Decode(wanted)
	return err == nil && errWanted == nil && maps.Equal(spec.Manifests, want.Manifests) && spec.Namespace == want.Namespace &&
		includes(spec.Labels, want.Labels) && includes(spec.Annotations, want.Annotations)
}

func includes(in, wanted map[string]string) bool {
	for key, value := range wanted {
		if have, found := in[key]; !found || have != value {
			return false
		}
	}
	return true
}
