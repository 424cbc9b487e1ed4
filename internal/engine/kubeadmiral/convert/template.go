package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// hostMetadata are the metadata fields that only apply to the host. A template keeps the generation, because the control plane writes it to an annotation of
// the object on members.
var hostMetadata = []string{
	"selfLink", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers",
	"managedFields",
}

// Template returns an object of the host in the form of the template in its FederatedObject.
func Template(u *unstructured.Unstructured) *unstructured.Unstructured {
	out := u.DeepCopy()
	for _, field := range hostMetadata {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(out.Object, "status")
	setLabels(out, without(out.GetLabels(), v1alpha1.MovedLabels))
	setAnnotations(out, without(out.GetAnnotations(), v1alpha1.MovedAnnotations))
	return out
}

// ForMember returns a template in the form in which the control plane sends it, but without the labels and annotations of [Mark]. It removes fields that each
// cluster sets itself, such as addresses and generated labels.
func ForMember(template *unstructured.Unstructured) *unstructured.Unstructured {
	out := template.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "metadata", "generation")
	switch {
	case isKind(out, "", "Service"):
		if ip, _, _ := unstructured.NestedString(out.Object, "spec", "clusterIP"); ip != "None" {
			unstructured.RemoveNestedField(out.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(out.Object, "spec", "clusterIPs")
		}
	case isKind(out, "batch", "Job") && !manualSelector(out):
		// The newer label, batch.kubernetes.io/controller-uid, remains in the object, so members reject the Job.
		unstructured.RemoveNestedField(out.Object, "spec", "selector", "matchLabels", "controller-uid")
		unstructured.RemoveNestedField(out.Object, "spec", "template", "metadata", "labels", "controller-uid")
	case isKind(out, "", "Pod"):
		unstructured.RemoveNestedField(out.Object, "spec", "ephemeralContainers")
	}
	return out
}

func isKind(u *unstructured.Unstructured, group, kind string) bool {
	gvk := u.GroupVersionKind()
	return gvk.Group == group && gvk.Kind == kind
}

func manualSelector(u *unstructured.Unstructured) bool {
	manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector")
	return manual
}

// Mark adds the labels and annotations by which the control plane identifies its objects on members. Two of them list the keys of the labels and annotations of
// u, which come from the host. generation is the generation of the object on the host, or 0 if its kind has none.
func Mark(u *unstructured.Unstructured, generation int64) {
	labels, annotations := u.GetLabels(), u.GetAnnotations()
	labelKeys := slices.Sorted(maps.Keys(labels))
	annotationKeys := slices.Sorted(maps.Keys(annotations))
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	if generation != 0 {
		annotations[v1alpha1.SourceGenerationAnnotation] = strconv.FormatInt(generation, 10)
	}
	labels[v1alpha1.ManagedLabel] = "true"
	annotations[v1alpha1.PropagatedLabelKeysAnnotation] = strings.Join(labelKeys, ",")
	annotations[v1alpha1.PropagatedAnnotationKeysAnnotation] = strings.Join(annotationKeys, ",")
	u.SetLabels(labels)
	u.SetAnnotations(annotations)
}

// markAnnotations and markLabels are the annotations and labels that the control plane adds on members.
var (
	markAnnotations = []string{
		v1alpha1.SourceGenerationAnnotation, v1alpha1.PropagatedLabelKeysAnnotation, v1alpha1.PropagatedAnnotationKeysAnnotation, v1alpha1.AdoptedAnnotation,
	}
	markLabels = []string{v1alpha1.ManagedLabel}
)

// Unmarked returns a copy of u in which markLabels and markAnnotations are replaced by those of live, or removed if live is nil. The copy and live then differ
// only in fields that matter to users.
func Unmarked(u, live *unstructured.Unstructured) *unstructured.Unstructured {
	out := u.DeepCopy()
	var labels, annotations map[string]string
	if live != nil {
		labels, annotations = live.GetLabels(), live.GetAnnotations()
	}
	setLabels(out, withMarks(out.GetLabels(), labels, markLabels))
	setAnnotations(out, withMarks(out.GetAnnotations(), annotations, markAnnotations))
	return out
}

func withMarks(in, marked map[string]string, keys []string) map[string]string {
	out := without(in, keys)
	for key, value := range only(marked, keys) {
		if out == nil {
			out = map[string]string{}
		}
		out[key] = value
	}
	return out
}

func without(in map[string]string, keys []string) map[string]string {
	out := maps.Clone(in)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}

// setLabels sets the labels, and removes the field if there are none.
func setLabels(u *unstructured.Unstructured, labels map[string]string) {
	if len(labels) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "labels")
		return
	}
	u.SetLabels(labels)
}

func setAnnotations(u *unstructured.Unstructured, annotations map[string]string) {
	if len(annotations) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
		return
	}
	u.SetAnnotations(annotations)
}

// KeepsGeneratedLabels reports whether the control plane sends a Job with a label that each cluster must generate itself.
func KeepsGeneratedLabels(u *unstructured.Unstructured) bool {
	if manualSelector(u) {
		return false
	}
	_, found, _ := unstructured.NestedString(u.Object, "spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid")
	return found
}
