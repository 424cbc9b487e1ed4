package fakekubefleet

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// install installs KubeFleet's CRDs on the clusters that do not have them, and waits until they are served.
func (h *Hub) install(ctx context.Context) error {
	definitions, err := crds.Definitions()
	if err != nil {
		return err
	}
	var onHub, onMembers []*unstructured.Unstructured
	for _, d := range definitions {
		if crds.Kind(d) == agent.AppliedWorkKind.GroupKind() {
			onMembers = append(onMembers, d)
		} else {
			onHub = append(onHub, d)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range h.set.Names() {
		group.Go(func() error {
			member, err := h.set.Member(name)
			if err != nil {
				return err
			}
			return errorOn(name, installOn(ctx, member, onMembers))
		})
	}
	group.Go(func() error {
		err := installOn(ctx, h.set.Hub, append(onHub, namespace(SystemNamespace)))
		return errorOn("the hub", err)
	})
	return group.Wait()
}

func errorOn(cluster string, err error) error {
	if err != nil {
		return fmt.Errorf("install KubeFleet's definitions on %s: %w", cluster, err)
	}
	return nil
}

func installOn(ctx context.Context, cluster *kube.Cluster, objects []*unstructured.Unstructured) error {
	for _, u := range objects {
		if err := fakehub.Install(ctx, cluster, u, kube.WriteOptions{FieldManager: Manager, Strict: true}); err != nil {
			return err
		}
	}
	for _, u := range objects {
		if u.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := awaitServed(ctx, cluster, u); err != nil {
			return err
		}
	}
	return nil
}

// awaitServed waits until at least one version of a kind is served. An existing CRD may have fewer versions.
func awaitServed(ctx context.Context, cluster *kube.Cluster, definition *unstructured.Unstructured) error {
	for {
		var err error
		for _, version := range crds.Versions(definition) {
			if _, err = cluster.Resolve(ctx, crds.Kind(definition).WithVersion(version.Name)); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not served: %w", definition.GetName(), err)
		case <-time.After(interval / 4):
			cluster.ResetDiscovery()
		}
	}
}

// Uninstall deletes the CRDs from the clusters, with all objects of their kinds. The agents must be closed.
func (h *Hub) Uninstall(ctx context.Context) error {
	definitions, err := crds.Definitions()
	if err != nil {
		return err
	}
	clusters := h.set.Any()
	var group errgroup.Group
	for _, cluster := range clusters {
		group.Go(func() error {
			for _, d := range definitions {
				live, err := cluster.Get(ctx, d.GroupVersionKind(), "", d.GetName())
				if kube.IsNotFound(err) {
					continue
				}
				if err == nil {
					err = cluster.Delete(ctx, kube.RefOf(live), live.GetUID(), "")
				}
				if err != nil && !kube.IsNotFound(err) {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
