package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Release removes objects from a placement in such a way that taken-over objects remain on the members. If an object loses its label, or if the policy or a
// taint excludes a cluster, the control plane deletes the object on members and ignores its orphan annotation. It honours the annotation only when the
// FederatedObject itself is deleted. Release therefore works in this order:
//
//  1. Write the orphan annotation to the object, and wait until the control plane has copied it to the FederatedObject.
//  2. Delete the object if the provider created it. A finalizer of the control plane keeps it until its copies on the members are deleted or orphaned.
//  3. Otherwise annotate the object as not federated, delete its FederatedObject, and then remove the placement's labels and annotations from the object. The
//     annotation does not affect the existing FederatedObject: it prevents a new one, which would place the object again.
//  4. Remove the annotation last. The control plane then creates a FederatedObject, as for every object, and places it nowhere.
type Release struct {
	Host  *kube.Cluster
	Types map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig
	// Of is the policy.
	Of engine.Reference
	// Orphan selects the objects that remain on members; see [convert.Orphan].
	Orphan string
	Pace   controlplane.Pace
}

// Object releases one object. made reports that the record of the policy lists the object. Object deletes such an object if the provider is still one of its
// field managers. An object that now belongs to another placement remains unchanged.
func (r Release) Object(ctx context.Context, live *unstructured.Unstructured, made bool) error {
	if _, policy := Claimed(live, r.Of); policy != "" {
		return nil
	}
	made = made && WrittenBy(live, r.Host.FieldManager(""))
	if !made && live.GetKind() == "Namespace" && live.GetAPIVersion() == "v1" {
		if live.GetLabels()[convert.PolicyLabelOf(r.Of.Namespace)] != r.Of.Name {
			return nil
		}
		return r.unkey(ctx, live) // the host places Namespaces without a policy, and could delete this one on members together with its FederatedObject
	}
	config, placeable := r.Types[live.GroupVersionKind()]
	id := manifest.NewObject(live, nil).Identifier
	if placeable && live.GetAnnotations()[v1alpha1.NoFederatedResourceAnnotation] == "" {
		if err := r.awaitOrphan(ctx, live, id, config); err != nil {
			return err
		}
	}
	if made {
		return r.remove(ctx, live)
	}
	if placeable {
		if err := r.hold(ctx, live); err != nil {
			return err
		}
		if err := r.dissolve(ctx, id, config); err != nil {
			return err
		}
	}
	return r.unkey(ctx, live)
}

// awaitOrphan sets the orphan annotation on the object, and waits until the control plane has copied the annotation to the FederatedObject. It does not wait
// if there is no FederatedObject, or if the FederatedObject is being deleted. It returns an error if the control plane does not copy the annotation in time.
func (r Release) awaitOrphan(ctx context.Context, live *unstructured.Unstructured, id manifest.Identifier, config v1alpha1.FederatedTypeConfig) error {
	if live.GetAnnotations()[v1alpha1.OrphanAnnotation] != r.Orphan {
		if err := r.annotate(ctx, live, v1alpha1.OrphanAnnotation, r.Orphan); err != nil {
			return err
		}
	}
	done, err := controlplane.Poll(ctx, r.Pace, func(ctx context.Context) (bool, error) {
		found, err := FederatedOf(kube.ReadUnshared(ctx), r.Host, id, config)
		return found == nil || found.Deleting || found.Annotations[v1alpha1.OrphanAnnotation] == r.Orphan, err
	})
	if !done && err == nil {
		err = fmt.Errorf("%s is not released: KubeAdmiral did not observe its orphan annotation in time. Check that KubeAdmiral's controller manager is running, "+
			"then destroy again", id)
	}
	return err
}

// annotate sets an annotation on an object. It returns an error if the object was recreated since it was read.
func (r Release) annotate(ctx context.Context, live *unstructured.Unstructured, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": string(live.GetUID()), "annotations": map[string]any{key: value},
	}})
	if err != nil {
		return err
	}
	_, err = controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) {
		return r.Host.Patch(ctx, kube.RefOf(live), types.MergePatchType, patch, kube.WriteOptions{})
	})
	return clusterset.Unreachable(r.Host.Name(), err)
}

func (r Release) remove(ctx context.Context, live *unstructured.Unstructured) error {
	return r.explainWait(manifest.NewObject(live, nil).Identifier, controlplane.DeleteAndWait(ctx, r.Host, kube.RefOf(live), live.GetUID()))
}

// WaitGone waits until an object that is being deleted on the host is gone.
func WaitGone(ctx context.Context, host *kube.Cluster, live *unstructured.Unstructured) error {
	err := host.WaitGone(ctx, kube.RefOf(live), live.GetUID())
	if err == nil || kube.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("it is being deleted on the host cluster %q, which removes it from all members first: %w. A member that is not ready blocks the deletion. Wait until "+
		"the member is ready, or delete its FederatedCluster, then apply again", host.Name(), clusterset.Unreachable(host.Name(), err))
}

func (r Release) explainWait(id manifest.Identifier, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s is not removed from all members: %w. A host waits for a cluster that is not ready. Destroy again to continue. A cluster that no longer exists "+
		"blocks the removal until its FederatedCluster is deleted", id, clusterset.Unreachable(r.Host.Name(), err))
}

// hold annotates an object so that the control plane does not create a FederatedObject for it again.
func (r Release) hold(ctx context.Context, live *unstructured.Unstructured) error {
	if live.GetAnnotations()[v1alpha1.NoFederatedResourceAnnotation] != "" {
		return nil
	}
	return r.annotate(ctx, live, v1alpha1.NoFederatedResourceAnnotation, "true")
}

// dissolve deletes the FederatedObject of an object, and repeats this until there is none. Before the control plane has observed the annotation of
// [Release.hold], it may create the FederatedObject again, with the same orphan annotation.
func (r Release) dissolve(ctx context.Context, id manifest.Identifier, config v1alpha1.FederatedTypeConfig) error {
	var failed error
	done, err := controlplane.Poll(ctx, r.Pace, func(ctx context.Context) (bool, error) {
		found, err := FederatedOf(kube.ReadUnshared(ctx), r.Host, id, config)
		if found == nil || err != nil {
			return true, err
		}
		ref := kube.Ref{GVK: FederatedKind(found.Namespace), Namespace: found.Namespace, Name: found.Name}
		if err := controlplane.DeleteAndWait(ctx, r.Host, ref, types.UID(found.UID)); err != nil && !kube.IsConflict(err) {
			failed = r.explainWait(id, err)
		}
		return failed != nil, nil
	})
	if !done && err == nil {
		return r.explainWait(id, context.Cause(ctx))
	}
	return cmp.Or(failed, err)
}

// unkey removes the labels and annotations of the placement from an object, and then the annotation of [Release.hold]. It does not change an object that now
// belongs to another placement.
func (r Release) unkey(ctx context.Context, live *unstructured.Unstructured) error {
	for _, keys := range []struct{ labels, annotations []string }{
		{convert.OwnLabels, convert.OwnAnnotations}, {nil, []string{v1alpha1.NoFederatedResourceAnnotation}},
	} {
		now, err := controlplane.Read(kube.ReadUnshared(ctx), r.Host, live.GroupVersionKind(), live.GetNamespace(), live.GetName())
		if err != nil || now == nil {
			return err
		}
		if _, policy := Claimed(now, r.Of); policy != "" {
			return nil
		}
		_, err = controlplane.Repeat(ctx, func() (struct{}, error) {
			return struct{}{}, r.Host.RemoveMetadata(ctx, now, keys.labels, keys.annotations)
		})
		if err != nil && !kube.IsNotFound(err) {
			return clusterset.Unreachable(r.Host.Name(), err)
		}
	}
	return nil
}
