package predict

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

type disputeCheck struct {
	placement engine.Placement
	fleet     *host.Fleet
	manager   string
	// heldAutoscalers are the autoscalers that the host does not send to members, with the reasons.
	heldAutoscalers map[manifest.Key]string
}

// of returns the reasons why the object cannot be placed, one per line. recorded reports that the record of the placement lists the object.
func (d disputeCheck) of(o *Object, recorded bool) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "  "+o.String()+": "+fmt.Sprintf(format, args...)) }
	config, is := d.fleet.Types[o.GroupVersionKind()]
	if !is {
		add("the host cluster places no objects of kind %s in %s. Create a FederatedTypeConfig for the kind", o.Kind, o.GroupVersionKind().GroupVersion())
	}
	if why, held := d.heldAutoscalers[o.Key()]; held {
		add("%s. Omit it (leave_out of the module federate). An autoscaler on a member remains there, and scales the workload if the workload has the annotation "+
			"%s=true", why, v1alpha1.RetainReplicasAnnotation)
	}
	if is && config.Spec.PathDefinition.ReplicasSpec == "" && keepsReplicas(o, d.manager) {
		add("with its annotation %s, every update fails on the host cluster: the FederatedTypeConfig %s has no spec.pathDefinition.replicasSpec. Remove the "+
			"annotation, or set that field", v1alpha1.RetainReplicasAnnotation, config.Name)
	}
	if o.Manifest != nil && !o.IsNamespace() {
		for _, key := range d.reserved(o.Manifest, true) {
			add("its manifest has %s, which overrides the placement on the host cluster. Remove it from the manifest", key)
		}
	}
	if o.Live == nil {
		return out
	}
	if o.Manifest != nil && !d.made(o, recorded) {
		add("it already exists on the host cluster, and this placement did not create it. Select it instead of writing its manifest, or delete it")
	}
	if o.IsNamespace() {
		return out
	}
	if o.Held() && !d.own(o) {
		add("its annotation %s excludes it from placement. Remove the annotation", v1alpha1.NoFederatedResourceAnnotation)
	}
	for _, key := range d.reserved(o.Live, !d.own(o)) {
		add("its %s overrides the placement on the host cluster. Remove it", key)
	}
	return out
}

// own reports whether an object has the label of the placement, or is taken over from a giver. If such an object has the annotation that excludes it from
// placement, an earlier removal did not complete.
func (d disputeCheck) own(o *Object) bool {
	return o.Giver != nil && !o.IsNamespace() || o.Live.GetLabels()[convert.PolicyLabelOf(d.placement.Namespace)] == d.placement.Name
}

// made reports whether the provider created the object on the host for the placement or its giver. This requires that the provider is still a field manager
// of the object, so that an object that another user created later with the same name does not count. It also requires one of these: a record of the
// placement or of its giver lists the object; or the object is no Namespace, and has the label of the placement or is taken over from a giver. The label counts
// because the policy with the record may have been deleted.
func (d disputeCheck) made(o *Object, recorded bool) bool {
	return (recorded || o.Giver != nil && host.MadeBy(o.Giver.PolicyLive).Has(o.Identifier) || !o.IsNamespace() && d.own(o)) && host.WrittenBy(o.Live, d.manager)
}

// reserved returns the labels and annotations of an object that make a host deviate from the policy. If others is true, it includes the annotations in
// [convert.OwnAnnotations] that another field manager has written.
func (d disputeCheck) reserved(u *unstructured.Unstructured, others bool) []string {
	var out []string
	steering := append(slices.Clone(v1alpha1.OverridingLabels), v1alpha1.ManagedLabel)
	if u.GetUID() == "" { // u is a manifest: on an object of the host, these labels name its policy
		steering = append(steering, convert.OwnLabels...)
	}
	for _, key := range steering {
		if _, found := u.GetLabels()[key]; found {
			out = append(out, "label "+key)
		}
	}
	annotations := slices.Concat(v1alpha1.OverridingAnnotations, v1alpha1.SuspendingAnnotations)
	if u.GetUID() == "" {
		annotations = append(annotations, v1alpha1.NoFederatedResourceAnnotation)
	}
	if others {
		annotations = append(annotations, convert.OwnAnnotations...)
	}
	for _, key := range annotations {
		_, found := u.GetAnnotations()[key]
		if slices.Contains(convert.OwnAnnotations, key) && host.IsOwn(diff.WriterOf(u, "metadata", "annotations", key).Name, d.manager) {
			continue // the provider owns the annotation and writes it again
		}
		if name := "annotation " + key; found && (others || !slices.Contains(convert.OwnAnnotations, key)) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
