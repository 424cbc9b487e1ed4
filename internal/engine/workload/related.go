package workload

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// readRelated reads the related objects of a workload: objects that name the workload or select its Pods, objects to which the Pods refer, and objects to which
// the ServiceAccounts of the Pods refer.
func (f *Found) readRelated(ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured) error {
	kinds := workload.Related()
	listed, unseen := make([][]*unstructured.Unstructured, len(kinds)), make([]*Unseen, len(kinds))
	group, readCtx := errgroup.WithContext(ctx)
	for i, kind := range kinds {
		group.Go(func() (err error) {
			listed[i], unseen[i], err = list(readCtx, member, kind, live.GetNamespace())
			return err
		})
	}
	var referenced []Object
	group.Go(func() (err error) {
		referenced, err = readReferenced(readCtx, member, workload.References(live))
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for _, objects := range listed {
		for _, other := range objects {
			if relation, isRelated := workload.Belongs(live, other); isRelated {
				f.Objects = append(f.Objects, objectOf(other, relation))
			}
		}
	}
	accounts, err := readAccounts(ctx, member, referenced)
	if err != nil {
		return err
	}
	for _, o := range append(referenced, accounts...) {
		if !slices.ContainsFunc(f.Objects, func(known Object) bool { return known.Key() == o.Key() }) {
			f.Objects = append(f.Objects, o)
		}
	}
	for _, one := range unseen {
		if one != nil {
			f.Unseen = append(f.Unseen, *one)
		}
	}
	f.Scaling.By = scaledBy(live, slices.Concat(listed...))
	return nil
}

// list reads the objects of a kind in a namespace. unseen is set if the account may not read the kind, or the cluster does not serve it.
func list(
	ctx context.Context, member *kube.Cluster, kind schema.GroupVersionKind, namespace string,
) (found []*unstructured.Unstructured, unseen *Unseen, err error) {
	found, err = member.List(ctx, kind, namespace, "")
	if kube.IsForbidden(err) || kube.IsUnknownKind(err) {
		return nil, &Unseen{Kind: kind.Kind, Namespace: namespace, Err: err}, nil
	}
	return found, nil, err
}

func readAccounts(ctx context.Context, member *kube.Cluster, objects []Object) ([]Object, error) {
	var ids []manifest.Identifier
	for _, o := range objects {
		if o.Kind == "ServiceAccount" && o.Configuration != nil {
			ids = append(ids, workload.References(o.Configuration)...)
		}
	}
	return readReferenced(ctx, member, ids)
}

// readReferenced reads objects to which Pods or their ServiceAccounts refer. An object need not exist, because a reference can be optional. An object that is
// missing, that must not be read or that a placement cannot contain has a reason in LeftOut.
func readReferenced(ctx context.Context, member *kube.Cluster, ids []manifest.Identifier) ([]Object, error) {
	out := make([]Object, len(ids))
	var refs []kube.Ref
	for i, id := range ids {
		reason, isUnfit := workload.UnfitKind(id.GroupVersionKind().GroupKind())
		out[i] = Object{Identifier: id, Relation: workload.RelationReferenced, LeftOut: reason, Lacking: isUnfit}
		if !isUnfit {
			refs = append(refs, refOf(id))
		}
	}
	found, errs := member.GetMany(ctx, refs)
	for i, id := range ids {
		live, err := found[refOf(id)], errs[refOf(id)]
		switch {
		case out[i].LeftOut != "":
		case kube.IsForbidden(err):
			out[i].LeftOut, out[i].Lacking = "it could not be read: "+err.Error(), true
		case err != nil:
			return nil, err
		case live == nil:
			out[i].LeftOut = "it does not exist"
		default:
			out[i] = objectOf(live, workload.RelationReferenced)
		}
	}
	return out, nil
}

func refOf(id manifest.Identifier) kube.Ref {
	return kube.Ref{GVK: id.GroupVersionKind(), Namespace: id.Namespace, Name: id.Name}
}
