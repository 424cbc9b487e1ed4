package fakekubeadmiral

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// version identifies a write to a member: the FederatedObject's generation, and the object as written.
type version struct {
	generation int64
	written    string
}

// sync writes an object to the members that it is placed on, removes it from members that it is no longer placed on, and reports the status.
func (h *Host) sync(ctx context.Context, v *view, f *federated) error {
	selected := f.Placed()
	if announced, err := h.announce(ctx, v, f, selected); announced || err != nil {
		return err // the next round writes the object
	}
	var next []v1alpha1.PropagationStatus
	names := slices.Clone(selected)
	for _, s := range f.Status.Clusters {
		if !slices.Contains(names, s.Cluster) {
			names = append(names, s.Cluster)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		member := v.member(name)
		if member == nil {
			continue
		}
		status := v1alpha1.PropagationStatus{Cluster: name}
		known, err := h.set.Member(name)
		switch {
		case err != nil:
			return err
		case !convert.Is(*member, v1alpha1.ConditionReady):
			status.Status = v1alpha1.StatusClusterNotReady
		case member.DeletionTimestamp != nil:
			status.Status = v1alpha1.StatusClusterTerminating
		case !slices.Contains(selected, name):
			left, err := h.remove(ctx, known, f, false)
			if err == nil && !left {
				continue
			}
			status.Status = v1alpha1.StatusWaitingForRemoval
			if err != nil {
				status.Status = v1alpha1.StatusDeletionFailed
			}
		default:
			status.Status, status.LastObservedGeneration = h.write(ctx, known, f)
		}
		next = append(next, status)
	}
	condition := v1alpha1.FederatedObjectCondition{Type: "Propagated", Status: "True"}
	if slices.ContainsFunc(next, func(s v1alpha1.PropagationStatus) bool { return s.Status != v1alpha1.StatusOK }) {
		condition.Status, condition.Reason = "False", "CheckClusters"
	}
	status := v1alpha1.FederatedObjectStatus{SyncedGeneration: f.Generation, Conditions: []v1alpha1.FederatedObjectCondition{condition}, Clusters: next}
	if err := h.collect(ctx, f, selected); err != nil {
		return err
	}
	if reflect.DeepEqual(status, f.Status) {
		return nil
	}
	fields, err := tree(status)
	if err != nil {
		return err
	}
	if len(next) == 0 {
		fields.(map[string]any)["clusters"] = nil //nolint:forcetypeassert // it is a struct
	}
	return patch(ctx, h.set.Hub, f.live, "status", map[string]any{"status": fields})
}

// announce adds members to the status of an object before the first write to them, because a removal reads the members from the status. It reports whether it
// added any.
func (h *Host) announce(ctx context.Context, v *view, f *federated, selected []string) (bool, error) {
	clusters := slices.Clone(f.Status.Clusters)
	for _, name := range selected {
		if _, _, known := f.On(name); !known && v.member(name) != nil {
			clusters = append(clusters, v1alpha1.PropagationStatus{Cluster: name, Status: v1alpha1.StatusPendingCreate})
		}
	}
	if len(clusters) == len(f.Status.Clusters) {
		return false, nil
	}
	fields, err := tree(clusters)
	if err != nil {
		return false, err
	}
	return true, patch(ctx, h.set.Hub, f.live, "status", map[string]any{"status": map[string]any{"clusters": fields}})
}

func (v *view) member(name string) *v1alpha1.FederatedCluster {
	for i := range v.members {
		if v.members[i].Name == name {
			return &v.members[i]
		}
	}
	return nil
}

// find reads an object on the host or on a member, nil if it does not exist.
func find(ctx context.Context, on *kube.Cluster, id manifest.Identifier) (*unstructured.Unstructured, error) {
	live, err := on.Get(kube.ReadUnshared(ctx), id.GroupVersionKind(), id.Namespace, id.Name)
	if kube.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// write writes an object to a member. It takes over a pre-existing object only if adopts allows this and the object does not opt out. It returns the status for
// the member, and the generation of the stored object.
func (h *Host) write(ctx context.Context, on *kube.Cluster, f *federated) (status string, generation int64) {
	id, name := f.Identifier(), on.Name()
	if seen, err := h.lists.find(ctx, on, id); err == nil && seen != nil && h.holds(f, name, seen) {
		return v1alpha1.StatusOK, seen.GetGeneration()
	}
	live, err := find(ctx, on, id)
	if err != nil {
		return h.fails(ctx, f, name, v1alpha1.StatusRetrievalFailed, "create", err)
	}
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return h.fails(ctx, f, name, v1alpha1.StatusComputeResourceFailed, "create", err)
	}
	o := &memberpreview.Object{Desired: convert.ForMember(template), Live: live}
	o.Identifier = id
	operation, failed := "create", v1alpha1.StatusCreationFailed
	if live != nil {
		operation, failed = "update", v1alpha1.StatusUpdateFailed
		switch {
		case dispatch.Managed(live):
			if h.holds(f, name, live) {
				return v1alpha1.StatusOK, live.GetGeneration()
			}
		case !adopts(f, name):
			return h.fails(ctx, f, name, v1alpha1.StatusAlreadyExists, "create", fmt.Errorf("Resource pre-exist in cluster")) //nolint:revive,staticcheck // as upstream
		case dispatch.OptsOut(live):
			return v1alpha1.StatusManagedLabelFalse, 0
		}
	}
	writer := dispatch.Writer{
		Cluster: on, Generations: map[manifest.Key]int64{id.Key(): template.GetGeneration()},
		KeepsReplicas: map[manifest.Key]bool{id.Key(): f.Annotations[v1alpha1.RetainReplicasAnnotation] == "true"},
	}
	stored, err := writer.Write(ctx, o, takeover.ActionUpdate, false)
	if err != nil {
		return h.fails(ctx, f, name, failed, operation, err)
	}
	h.setVersion(f, name, version{f.Generation, written(stored)})
	return v1alpha1.StatusOK, stored.GetGeneration()
}

// holds reports whether neither the FederatedObject nor the object on the member has changed since the last write.
func (h *Host) holds(f *federated, member string, live *unstructured.Unstructured) bool {
	return dispatch.Managed(live) && h.version(f, member) == version{f.Generation, written(live)}
}

// written identifies an object as written: by its generation, if its kind has one.
func written(u *unstructured.Unstructured) string {
	if u.GetGeneration() != 0 {
		return fmt.Sprint("gen:", u.GetGeneration())
	}
	return "rv:" + u.GetResourceVersion()
}

func (h *Host) version(f *federated, member string) version {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.versions[f.UID+"/"+member]
}

func (h *Host) setVersion(f *federated, member string, to version) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions[f.UID+"/"+member] = to
}

// adopts reports whether an object may take over a pre-existing one. A Namespace always may.
func adopts(f *federated, member string) bool {
	if id := f.Identifier(); id.IsNamespace() {
		return true
	}
	if f.Annotations[v1alpha1.ConflictResolutionAnnotation] != v1alpha1.ConflictResolutionAdopt {
		return false
	}
	var on v1alpha1.ClustersToAdopt
	if json.Unmarshal([]byte(f.Annotations[v1alpha1.ClustersToAdoptAnnotation]), &on) != nil {
		return false
	}
	if slices.Contains(on.Clusters, member) {
		return true
	}
	expression, err := regexp.Compile(on.Regexp)
	return on.Regexp != "" && err == nil && expression.MatchString(member)
}

// fails reports a failure as an event, because a status has no field for it.
func (h *Host) fails(ctx context.Context, f *federated, member, status, operation string, why error) (string, int64) {
	h.mu.Lock()
	h.failed = true
	h.mu.Unlock()
	id := f.Identifier()
	namespace := id.Namespace
	if namespace == "" {
		namespace = "default"
	}
	message := fmt.Sprintf("Failed to %s %s %s in cluster %q: %v", operation, id.Kind, id.Name, member, why)
	name := fmt.Sprintf("%s.%s.%s", strings.ToLower(id.Name), member, manifest.Hash(map[string]any{"message": message})[:12])
	event := &unstructured.Unstructured{Object: map[string]any{
		"type": "Warning", "reason": "CreateInClusterFailed", "message": message, "lastTimestamp": time.Now().UTC().Format(time.RFC3339),
		"involvedObject": map[string]any{"apiVersion": id.GroupVersionKind().GroupVersion().String(), "kind": id.Kind, "namespace": id.Namespace, "name": id.Name},
	}}
	event.SetAPIVersion("v1")
	event.SetKind("Event")
	event.SetNamespace(namespace)
	event.SetName(strings.Trim(name, ".-"))
	_, _ = h.set.Hub.Create(ctx, event, kube.WriteOptions{FieldManager: Manager}) // an existing event has the same message
	return status, 0
}

// collect stores the fields of an object that are collected from members.
func (h *Host) collect(ctx context.Context, f *federated, selected []string) error {
	config := f.config.Spec.StatusCollection
	if config == nil || !config.Enabled || len(selected) == 0 {
		return nil
	}
	var clusters []any
	for _, name := range selected {
		on, err := h.set.Member(name)
		if err != nil {
			return err
		}
		live, err := h.lists.find(ctx, on, f.Identifier())
		if err != nil || live == nil || !dispatch.Managed(live) {
			continue
		}
		fields := map[string]any{}
		for _, field := range config.Fields {
			path := strings.Split(field, ".")
			if value, found, _ := unstructured.NestedFieldCopy(live.Object, path...); found {
				_ = unstructured.SetNestedField(fields, value, path...)
			}
		}
		clusters = append(clusters, map[string]any{"cluster": name, "collectedFields": fields})
	}
	if clusters == nil {
		clusters = []any{}
	}
	kind := v1alpha1.CollectedStatusKind
	if f.Namespace == "" {
		kind = v1alpha1.ClusterCollectedStatusKind
	}
	id := manifest.Identifier{
		Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Kind: kind, Namespace: f.Namespace, Name: f.Name,
	}
	if known, err := h.lists.find(ctx, h.set.Hub, id); err == nil && known != nil && reflect.DeepEqual(known.Object["clusters"], any(clusters)) {
		return nil
	}
	known, err := find(ctx, h.set.Hub, id)
	if err != nil {
		return err
	}
	if known != nil && reflect.DeepEqual(known.Object["clusters"], any(clusters)) {
		return nil
	}
	if known != nil {
		known.Object["clusters"] = clusters
		_, err = h.set.Hub.Update(ctx, known, kube.WriteOptions{FieldManager: Manager})
		return err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"clusters": clusters, "lastUpdateTime": time.Now().UTC().Format(time.RFC3339)}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	u.SetNamespace(f.Namespace)
	u.SetName(f.Name)
	u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: f.live.GetAPIVersion(), Kind: f.live.GetKind(), Name: f.Name, UID: f.live.GetUID()}})
	_, err = h.set.Hub.Create(ctx, u, kube.WriteOptions{FieldManager: Manager})
	return err
}
