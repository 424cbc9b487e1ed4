package fakekubeadmiral

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// place schedules a FederatedObject and writes it to its members.
func (h *Host) place(ctx context.Context, v *view, f *federated) error {
	if f.Deleting {
		return h.removeAll(ctx, v, f)
	}
	for _, step := range []func(context.Context, *view, *federated) (bool, error){h.follow, h.schedule} {
		if changed, err := step(ctx, v, f); err != nil || changed {
			return err // the next round continues
		}
	}
	if f.Annotations[v1alpha1.PendingControllersAnnotation] != v1alpha1.NoPendingControllers {
		return nil
	}
	if !has(f.live.GetFinalizers(), v1alpha1.SyncFinalizer) {
		return patch(ctx, h.set.Hub, f.live, "", finalizers(append(f.live.GetFinalizers(), v1alpha1.SyncFinalizer)))
	}
	return h.sync(ctx, v, f)
}

// schedule picks the clusters of an object if its scheduling inputs have changed.
func (h *Host) schedule(ctx context.Context, v *view, f *federated) (bool, error) {
	pending := f.Annotations[v1alpha1.PendingControllersAnnotation] != v1alpha1.NoPendingControllers
	if predict.HoldsAutoscalers(f.config) {
		return false, nil // the controller that releases followers is not simulated
	}
	id := f.Identifier()
	var names []string
	var trigger map[string]any
	follow := false // whether other objects follow this one
	switch label, policy := policyOf(f); {
	case id.IsNamespace():
		for _, c := range v.candidates {
			names = append(names, c.Name)
		}
		trigger = map[string]any{"clusters": names}
	case policy == "":
		trigger = map[string]any{}
	default:
		namespace := ""
		if label == v1alpha1.PolicyLabel {
			namespace = f.Namespace
		}
		spec, found := v.policies[policyKey(label, namespace, policy)]
		if !found {
			return false, nil // placements remain unchanged, and the object stays pending
		}
		if spec.SchedulingProfile != "" {
			return false, nil // the host has no profiles, so nothing changes either
		}
		follow = !spec.DisableFollowerScheduling
		trigger = map[string]any{"policy": spec, "affinity": f.Annotations[v1alpha1.AffinityAnnotation], "clusters": v.candidatesHash}
		names = h.picks(f, spec, v.candidates)
	}
	data, err := json.Marshal(trigger)
	if err != nil {
		return false, err
	}
	hash := manifest.Hash(map[string]any{"trigger": string(data)})[:12]
	if !pending && f.Annotations[v1alpha1.SchedulingTriggersAnnotation] == hash {
		return false, nil
	}
	next := f.live.DeepCopy()
	setPending(next, nil)
	annotations := next.GetAnnotations()
	annotations[v1alpha1.SchedulingTriggersAnnotation] = hash
	if f.Annotations[v1alpha1.NoSchedulingAnnotation] != "" && !id.IsNamespace() { // the placements remain unchanged, even without a policy
		next.SetAnnotations(annotations)
		_, err = h.set.Hub.Update(ctx, next, kube.WriteOptions{FieldManager: Manager})
		return true, err
	}
	annotations[v1alpha1.EnableFollowerSchedulingAnnotation] = strconv.FormatBool(follow)
	slices.Sort(names)
	if value, err := scheduling(f, names); err != nil {
		return false, err
	} else if value != "" && !id.IsNamespace() { // another controller places Namespaces
		annotations[v1alpha1.SchedulingAnnotation] = value
	}
	next.SetAnnotations(annotations)
	if err := setPlacements(next, v1alpha1.GlobalScheduler, names); err != nil {
		return false, err
	}
	_, err = h.set.Hub.Update(ctx, next, kube.WriteOptions{FieldManager: Manager})
	return true, err
}

// scheduling returns the annotation of an object that the scheduler places on members. It returns the current value if the object is already placed on exactly
// these members, and "" for an object that is not placed and never was.
func scheduling(f *federated, names []string) (string, error) {
	var known struct{ Placement map[string]any }
	placed := map[string]any{}
	for _, name := range names {
		placed[name] = nil
	}
	value := f.Annotations[v1alpha1.SchedulingAnnotation]
	if value == "" && len(names) == 0 {
		return "", nil
	}
	if json.Unmarshal([]byte(value), &known) == nil && maps.Equal(known.Placement, placed) {
		return value, nil
	}
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"sourceGeneration": template.GetGeneration(), "fedGeneration": f.Generation, "placement": placed})
	return string(text), err
}

// setPlacements sets the placements of one controller and keeps those of others.
func setPlacements(u *unstructured.Unstructured, controller string, names []string) error {
	placements, _, err := unstructured.NestedSlice(u.Object, "spec", "placements")
	if err != nil {
		return err
	}
	isOwn := func(p any) bool { return p.(map[string]any)["controller"] == controller } //nolint:forcetypeassert // the API server has checked it
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = map[string]any{"cluster": name}
	}
	own := map[string]any{"controller": controller, "placement": list}
	switch i := slices.IndexFunc(placements, isOwn); {
	case len(names) == 0:
		placements = slices.DeleteFunc(placements, isOwn)
	case i < 0:
		placements = append(placements, own)
	default:
		placements[i] = own
	}
	if len(placements) == 0 {
		unstructured.RemoveNestedField(u.Object, "spec", "placements")
		return nil
	}
	return unstructured.SetNestedSlice(u.Object, placements, "spec", "placements")
}

func policyOf(f *federated) (label, name string) {
	if name := f.Labels[v1alpha1.PolicyLabel]; name != "" && f.Namespace != "" {
		return v1alpha1.PolicyLabel, name
	}
	return v1alpha1.ClusterPolicyLabel, f.Labels[v1alpha1.ClusterPolicyLabel]
}

func (h *Host) picks(f *federated, spec v1alpha1.PropagationPolicySpec, candidates []predict.Candidate) []string {
	var affinity v1alpha1.Affinity
	_ = json.Unmarshal([]byte(f.Annotations[v1alpha1.AffinityAnnotation]), &affinity)
	unit := predict.Unit{Kind: f.Identifier().GroupVersionKind(), Current: map[string]bool{}, Sticky: convert.DisablesRescheduling(spec)}
	for _, name := range f.Scheduled() {
		unit.Current[name] = true
	}
	var out []string
	for name, pick := range predict.Schedule(spec, affinity, unit, candidates) {
		if pick.Selected {
			out = append(out, name)
		}
	}
	return out
}

// candidates returns the schedulable members and a hash of them.
func candidates(members []v1alpha1.FederatedCluster) (out []predict.Candidate, hash string, err error) {
	for _, m := range members {
		if !convert.Is(m, v1alpha1.ConditionJoined) || m.DeletionTimestamp != nil {
			continue
		}
		types := m.Status.APIResourceTypes
		if types == nil {
			types = []v1alpha1.APIResource{}
		}
		out = append(out, predict.Candidate{
			Name: m.Name, Labels: m.Labels, Taints: m.Spec.Taints, Joined: true, Ready: true, Types: types, Resources: m.Status.Resources,
		})
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, "", err
	}
	return out, manifest.Hash(map[string]any{"candidates": string(data)}), nil
}
