package convert

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// Retain completes desired, which will replace live on a member. It copies the resource version and the finalizers of live, the labels and annotations that
// the host does not set, and values that the cluster has allocated. The replacement removes all other fields that only live has. If live does not have the
// control plane's label, Retain adds the annotation of adopted objects.
//
// A field without a rule for its kind, such as the replica count, gets the value of desired. KubeAdmiral also has rules for Pods and Argo Workflows, which
// Retain does not have.
func Retain(desired, live *unstructured.Unstructured) {
	desired.SetResourceVersion(live.GetResourceVersion())
	desired.SetFinalizers(live.GetFinalizers())
	was := live.GetAnnotations()
	labels := mergeMetadata(live.GetLabels(), desired.GetLabels(), was[v1alpha1.PropagatedLabelKeysAnnotation])
	annotations := mergeMetadata(was, desired.GetAnnotations(), was[v1alpha1.PropagatedAnnotationKeysAnnotation])
	if live.GetLabels()[v1alpha1.ManagedLabel] != "true" {
		annotations[v1alpha1.AdoptedAnnotation] = "true"
	}
	desired.SetLabels(labels)
	desired.SetAnnotations(annotations)
	retainFields(desired, live)
}

// mergeMetadata returns the entries of desired and of live, without the entries of live that an earlier write of the host set. propagated has the keys of
// these entries, separated by commas.
func mergeMetadata(live, desired map[string]string, propagated string) map[string]string {
	out := maps.Clone(live)
	if out == nil {
		out = map[string]string{}
	}
	for key := range strings.SplitSeq(propagated, ",") {
		delete(out, key)
	}
	maps.Copy(out, desired)
	return out
}

func retainFields(desired, live *unstructured.Unstructured) {
	switch {
	case isKind(desired, "", "Service"):
		keepField(desired, live, "spec", "clusterIP")
		RetainNodePorts(desired, live)
	case isKind(desired, "", "ServiceAccount"):
		if secrets, _, _ := unstructured.NestedSlice(desired.Object, "secrets"); len(secrets) == 0 {
			keepField(desired, live, "secrets")
		}
	case isKind(desired, "batch", "Job"):
		if !manualSelector(desired) {
			keepField(desired, live, "spec", "selector")
			keepField(desired, live, "spec", "template", "metadata", "labels")
		}
	case isKind(desired, "", "PersistentVolume"):
		keepField(desired, live, "spec", "claimRef")
	case isKind(desired, "", "PersistentVolumeClaim"):
		keepField(desired, live, "spec", "volumeName")
	}
}

func keepField(desired, live *unstructured.Unstructured, path ...string) {
	value, found, err := unstructured.NestedFieldCopy(live.Object, path...)
	if found && err == nil {
		_ = unstructured.SetNestedField(desired.Object, value, path...) // if the path has another type, the API server rejects the object
	}
}

// RetainNodePorts copies the node ports of live to the ports of desired with the same name, number and protocol.
func RetainNodePorts(desired, live *unstructured.Unstructured) {
	ports, found, _ := unstructured.NestedSlice(desired.Object, "spec", "ports")
	if !found {
		return
	}
	livePorts, _, _ := unstructured.NestedSlice(live.Object, "spec", "ports")
	for _, port := range ports {
		fields, _ := port.(map[string]any)
		for _, other := range livePorts {
			there, _ := other.(map[string]any)
			if fields != nil && there["nodePort"] != nil && samePort(fields, there) {
				fields["nodePort"] = there["nodePort"]
			}
		}
	}
	_ = unstructured.SetNestedSlice(desired.Object, ports, "spec", "ports")
}

func samePort(a, b map[string]any) bool {
	protocol := func(port map[string]any) any {
		if port["protocol"] == nil {
			return "TCP"
		}
		return port["protocol"]
	}
	return a["name"] == b["name"] && a["port"] == b["port"] && protocol(a) == protocol(b)
}
