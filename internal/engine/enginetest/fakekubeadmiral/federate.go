package fakekubeadmiral

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// federate creates, updates or deletes the FederatedObject of an object.
func (h *Host) federate(ctx context.Context, s *source) error {
	hub, own := h.set.Hub, s.live.GetFinalizers()
	switch {
	case s.live.GetDeletionTimestamp() != nil && s.made == nil && has(own, v1alpha1.FederateFinalizer):
		return patch(ctx, hub, s.live, "", finalizers(without(own, v1alpha1.FederateFinalizer)))
	case s.live.GetDeletionTimestamp() != nil && s.made != nil && !s.made.Deleting:
		return hub.Delete(ctx, kube.RefOf(s.made.live), s.made.live.GetUID(), metav1.DeletePropagationBackground)
	case s.live.GetDeletionTimestamp() != nil, s.live.GetAnnotations()[v1alpha1.NoFederatedResourceAnnotation] != "":
		return nil
	case !has(own, v1alpha1.FederateFinalizer):
		return patch(ctx, hub, s.live, "", finalizers(append(own, v1alpha1.FederateFinalizer)))
	case s.made == nil:
		return h.makeFederated(ctx, s)
	case s.made.Deleting:
		return nil
	}
	labels, annotations := moved(s.live)
	observed := observedAnnotations(s.live, annotations)
	template := convert.Template(s.live)
	before := &unstructured.Unstructured{}
	if err := before.UnmarshalJSON(s.made.Spec.Template.Raw); err != nil {
		return err
	}
	if reflect.DeepEqual(before.Object, template.Object) && maps.Equal(labels, pick(s.made.Labels, v1alpha1.MovedLabels)) &&
		maps.Equal(annotations, pick(s.made.Annotations, movedAnnotations)) && s.made.Annotations[v1alpha1.ObservedAnnotationsAnnotation] == observed {
		return h.feedBack(ctx, s)
	}
	next := s.made.live.DeepCopy()
	next.SetLabels(replaced(next.GetLabels(), v1alpha1.MovedLabels, labels))
	annotations[v1alpha1.ObservedAnnotationsAnnotation] = observed
	next.SetAnnotations(replaced(next.GetAnnotations(), movedAnnotations, annotations))
	setPending(next, s.config.Spec.Controllers)
	if err := unstructured.SetNestedMap(next.Object, template.Object, "spec", "template"); err != nil {
		return err
	}
	_, err := hub.Update(ctx, next, kube.WriteOptions{FieldManager: Manager})
	return err
}

// feedBack copies the scheduler's annotation from the FederatedObject to the object on the host, in a round after the scheduling, if the FederatedTypeConfig
// enables the aggregation of the status.
func (h *Host) feedBack(ctx context.Context, s *source) error {
	value, placed := s.made.Annotations[v1alpha1.SchedulingAnnotation]
	aggregation := s.config.Spec.StatusAggregation
	if !placed || aggregation == nil || !aggregation.Enabled || s.live.GetAnnotations()[v1alpha1.SchedulingAnnotation] == value || h.isPaused(feedbackIn(s.live.GetNamespace())) ||
		s.made.Annotations[v1alpha1.PendingControllersAnnotation] != v1alpha1.NoPendingControllers {
		return nil
	}
	return patch(ctx, h.set.Hub, s.live, "", map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.SchedulingAnnotation: value}}})
}

// observedAnnotations returns the keys of an object's annotations: those that are copied to the FederatedObject, and the others.
func observedAnnotations(u *unstructured.Unstructured, moved map[string]string) string {
	if len(u.GetAnnotations()) == 0 {
		return ""
	}
	var own, others []string
	for _, key := range slices.Sorted(maps.Keys(u.GetAnnotations())) {
		if _, is := moved[key]; is {
			own = append(own, key)
		} else {
			others = append(others, key)
		}
	}
	return strings.Join(own, ",") + "|" + strings.Join(others, ",")
}

// movedAnnotations are the annotations that are copied to the FederatedObject. The scheduler's annotation is copied in the other direction.
var movedAnnotations = slices.DeleteFunc(slices.Clone(v1alpha1.MovedAnnotations), func(key string) bool { return key == v1alpha1.SchedulingAnnotation })

// moved returns the labels and annotations that are copied to the FederatedObject.
func moved(u *unstructured.Unstructured) (labels, annotations map[string]string) {
	return pick(u.GetLabels(), v1alpha1.MovedLabels), pick(u.GetAnnotations(), movedAnnotations)
}

func pick(in map[string]string, keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		if value, found := in[key]; found {
			out[key] = value
		}
	}
	return out
}

func replaced(in map[string]string, keys []string, by map[string]string) map[string]string {
	out := maps.Clone(in)
	if out == nil {
		out = map[string]string{}
	}
	for _, key := range keys {
		delete(out, key)
	}
	maps.Copy(out, by)
	return out
}

func setPending(u *unstructured.Unstructured, steps [][]string) {
	text, _ := json.Marshal(steps)
	if len(steps) == 0 {
		text = []byte(v1alpha1.NoPendingControllers)
	}
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha1.PendingControllersAnnotation] = string(text)
	u.SetAnnotations(annotations)
}

func (h *Host) makeFederated(ctx context.Context, s *source) error {
	template, err := json.Marshal(convert.Template(s.live).Object)
	if err != nil {
		return err
	}
	labels, annotations := moved(s.live)
	annotations[v1alpha1.ObservedAnnotationsAnnotation] = observedAnnotations(s.live, annotations)
	gvk := s.live.GroupVersionKind()
	labels[labelKey(s.live.GetAPIVersion())] = gvk.Kind
	o := v1alpha1.FederatedObject{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.live.GetNamespace(), Name: convert.FederatedName(s.live.GetName(), s.config.Name), Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: s.live.GetAPIVersion(), Kind: gvk.Kind, Name: s.live.GetName(), UID: s.live.GetUID(), Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: v1alpha1.FederatedObjectSpec{Template: runtime.RawExtension{Raw: template}},
	}
	u, err := codec.Encode(o, host.FederatedKind(s.live.GetNamespace()))
	if err != nil {
		return err
	}
	setPending(u, s.config.Spec.Controllers)
	_, err = h.set.Hub.Create(ctx, u, kube.WriteOptions{FieldManager: Manager})
	if kube.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// labelKey returns the key of the label whose value is the kind of a FederatedObject's source.
func labelKey(apiVersion string) string { return apiVersion }
