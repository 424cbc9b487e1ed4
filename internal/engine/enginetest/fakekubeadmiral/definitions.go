package fakekubeadmiral

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// chain are the controllers that process an object before it is sent to members.
var chain = [][]string{{v1alpha1.GlobalScheduler}}

// placeable are the kinds that the control plane places, as in the published samples.
var placeable = []v1alpha1.APIResource{
	{Version: "v1", Kind: "Namespace", PluralName: "namespaces", Scope: cluster},
	{Version: "v1", Kind: "ConfigMap", PluralName: "configmaps", Scope: namespaced},
	{Version: "v1", Kind: "Secret", PluralName: "secrets", Scope: namespaced},
	{Version: "v1", Kind: "Service", PluralName: "services", Scope: namespaced},
	{Version: "v1", Kind: "ServiceAccount", PluralName: "serviceaccounts", Scope: namespaced},
	{Group: "apps", Version: "v1", Kind: "Deployment", PluralName: "deployments", Scope: namespaced},
	{Group: "apps", Version: "v1", Kind: "StatefulSet", PluralName: "statefulsets", Scope: namespaced},
	{Group: "apps", Version: "v1", Kind: "DaemonSet", PluralName: "daemonsets", Scope: namespaced},
	{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler", PluralName: "horizontalpodautoscalers", Scope: namespaced},
	{Group: "batch", Version: "v1", Kind: "CronJob", PluralName: "cronjobs", Scope: namespaced},
	{Group: "batch", Version: "v1", Kind: "Job", PluralName: "jobs", Scope: namespaced},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role", PluralName: "roles", Scope: namespaced},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding", PluralName: "rolebindings", Scope: namespaced},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", PluralName: "clusterroles", Scope: cluster},
	{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", PluralName: "customresourcedefinitions", Scope: cluster},
}

const cluster, namespaced = "Cluster", "Namespaced"

// collects are the fields that are collected from members, as in the published samples.
var collects = map[string][]string{
	"ConfigMap": {created}, "Secret": {created}, "ServiceAccount": {created}, "Service": {created, "spec.clusterIP", "spec.type", "spec.ports", "status"},
	"Deployment": {created, generation, "spec.replicas", "status"}, "StatefulSet": {created, generation, "spec.replicas", "status"},
	"DaemonSet": {created, generation, "status"}, "Job": {created, generation, "status"}, "CronJob": {created, generation, "status"},
	"CustomResourceDefinition": {created, "status"},
}

const created, generation = "metadata.creationTimestamp", "metadata.generation"

// TypeConfig returns the FederatedTypeConfig of a kind.
func TypeConfig(source v1alpha1.APIResource) v1alpha1.FederatedTypeConfig {
	name := source.PluralName
	if source.Group != "" {
		name += "." + source.Group
	}
	out := v1alpha1.FederatedTypeConfig{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.FederatedTypeConfigSpec{SourceType: source, Controllers: chain}}
	switch source.Kind {
	case "Deployment":
		out.Spec.PathDefinition.ReplicasSpec = "spec.replicas"
	case "HorizontalPodAutoscaler":
		out.Spec.Controllers = append([][]string{{v1alpha1.FederatedHPAController}}, chain...)
	}
	if fields := collects[source.Kind]; fields != nil {
		out.Spec.StatusCollection = &v1alpha1.StatusCollection{Enabled: true, Fields: fields}
	}
	return out
}

// TypeConfigText returns TypeConfig as JSON for a user to apply.
func TypeConfigText(source v1alpha1.APIResource) (string, error) {
	u, err := codec.Encode(TypeConfig(source), v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedTypeConfigKind))
	if err != nil {
		return "", err
	}
	text, err := u.MarshalJSON()
	return string(text), err
}

// install installs KubeAdmiral's CRDs on the host, and the FederatedTypeConfigs of the placeable kinds.
func (h *Host) install(ctx context.Context) error {
	definitions, err := crds.KubeAdmiral()
	if err != nil {
		return err
	}
	for _, u := range append(definitions, namespace(v1alpha1.SystemNamespace, nil)) {
		if err := fakehub.Install(ctx, h.set.Hub, u, kube.WriteOptions{FieldManager: Manager, Strict: true}); err != nil {
			return fmt.Errorf("install KubeAdmiral's definitions: %w", err)
		}
	}
	for _, u := range definitions {
		if err := h.awaitServed(ctx, crds.Kind(u).Kind); err != nil {
			return err
		}
	}
	for _, source := range placeable {
		u, err := codec.Encode(TypeConfig(source), v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedTypeConfigKind))
		if err != nil {
			return err
		}
		if err := fakehub.Install(ctx, h.set.Hub, u, kube.WriteOptions{FieldManager: Manager}); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) awaitServed(ctx context.Context, kind string) error {
	for {
		h.set.Hub.ResetDiscovery()
		_, err := h.set.Hub.List(ctx, v1alpha1.GroupVersion.WithKind(kind), "", "")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not served: %w", kind, err)
		case <-time.After(interval / 4):
		}
	}
}

func namespace(name string, annotations map[string]string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion("v1")
	u.SetKind("Namespace")
	u.SetName(name)
	u.SetAnnotations(annotations)
	return u
}
