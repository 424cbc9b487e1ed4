package kubeadmiral

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

type key = manifest.Key

func (e *Engine) releasing(found *predict.Prediction) host.Release {
	return host.Release{
		Host: e.clusters.Hub, Types: found.Fleet.Types, Of: found.Placement.Reference, Orphan: convert.Orphan(found.Placement.Spec), Pace: e.pace.Pace,
	}
}

// leaving is a set of objects on the host that leave a placement. made has all objects that the provider created for the placement.
type leaving struct {
	objects map[key]*unstructured.Unstructured
	made    host.Made
	// unsearched are the kinds that could not be searched for labelled objects.
	unsearched []string
}

// all returns the objects of a placement that is going to be deleted: the objects that the provider created, and the objects with the label of the policy.
func (e *Engine) all(ctx context.Context, found *predict.Prediction) (leaving, error) {
	p, fleet := found.Placement, found.Fleet
	out := leaving{made: host.MadeBy(fleet.PolicyLive)}
	var labelled []*unstructured.Unstructured
	var err error
	if out.objects, err = host.Objects(ctx, e.clusters.Hub, slices.Collect(maps.Values(out.made))); err != nil {
		return out, err
	}
	labelled, out.unsearched, err = host.Labelled(ctx, e.clusters.Hub, p.Reference, fleet.Types, kindsOf(p, fleet))
	for _, u := range labelled {
		if k := manifest.NewObject(u, nil).Key(); out.objects[k] == nil {
			out.objects[k] = u
		}
	}
	return out, err
}

// released is the result of a release. Objects in kept remain on the host, and the warnings explain why.
type released struct {
	kept     host.Made
	warnings []string
}

// release removes objects from the placement, and deletes the objects that the provider created. It deletes Namespaces and CustomResourceDefinitions last,
// and only if they contain no other objects. run is [engine.DeleteOptions.Run], or nil in an apply.
func (e *Engine) release(ctx context.Context, found *predict.Prediction, of leaving, run engine.SameRun) (released, error) {
	var objects, last []*unstructured.Unstructured
	for _, u := range of.objects {
		if _, is := source.AsContainer(manifest.NewObject(u, nil).Identifier, u); is {
			last = append(last, u)
		} else {
			objects = append(objects, u)
		}
	}
	releasing, out := e.releasing(found), released{kept: host.Made{}}
	if err := each(objects, func(u *unstructured.Unstructured) error {
		_, made := of.made[manifest.NewObject(u, nil).Key()]
		return releasing.Object(ctx, u, made)
	}); err != nil {
		return out, err
	}
	slices.SortFunc(last, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	var errs []error
	var containers []*predict.Container
	for _, u := range last {
		if container := found.Container(manifest.NewObject(u, nil).Key()); container != nil {
			containers = append(containers, container)
		} else { // the provider did not create it, or does not own it any more
			errs = append(errs, releasing.Object(ctx, u, false))
		}
	}
	return out, errors.Join(append(errs, e.releaseContainers(ctx, found, containers, run, &out))...)
}

// releaseContainers deletes Namespaces and CustomResourceDefinitions. If they contain objects of other placements that the run removes, it first waits for the
// removal of these placements.
func (e *Engine) releaseContainers(ctx context.Context, found *predict.Prediction, containers []*predict.Container, run engine.SameRun, out *released) error {
	var errs []error
	occupied := map[*predict.Container][]string{}
	try := func() {
		for _, container := range containers {
			names, err := e.releaseContainer(ctx, found, container, out)
			occupied[container] = names
			errs = append(errs, err)
		}
		containers = slices.DeleteFunc(containers, func(c *predict.Container) bool { return len(occupied[c]) == 0 })
	}
	try()
	occupants.Await(ctx, run, func() (names []string) {
		for _, container := range containers {
			names = append(names, occupied[container]...)
		}
		return names
	}, try)
	for _, container := range containers {
		errs = append(errs, fmt.Errorf("%s was not deleted: %s", container.Identifier, occupants.Deferred(occupied[container], occupants.AgainRemove)))
	}
	return errors.Join(errs...)
}

// releaseContainer deletes a Namespace or CustomResourceDefinition if it contains no other objects. It returns the placements that must be removed before
// the deletion. A container that is kept for another reason is added to out with a warning. If the container is kept because a cluster could not be checked,
// a removal fails instead.
func (e *Engine) releaseContainer(ctx context.Context, found *predict.Prediction, container *predict.Container, out *released) (occupied []string, err error) {
	id := container.Identifier
	held, err := found.Check(ctx, e.clusters, container)
	switch {
	case err != nil:
		return nil, err
	case len(held.Occupants) > 0:
		return held.Occupants, nil
	case held.Why == "":
		return nil, e.releasing(found).Object(ctx, container.Live, true)
	case held.Unchecked && found.Removing:
		return nil, fmt.Errorf("%s is not removed: %s. The placement remains in the state. Destroy again when the cluster can be checked", id, held.Why)
	}
	out.kept[id.Key()] = id
	out.warnings = append(out.warnings, stays(found, id, held.Why))
	return nil, e.giveUp(ctx, found, container)
}

func stays(found *predict.Prediction, id manifest.Identifier, why string) string {
	text := fmt.Sprintf("%s stays on the host, and on the members: %s", id, why)
	if found.Removing {
		return text + ". Nothing deletes it later"
	}
	return text + ". The placement created it. The next apply that finds no obstacle removes it"
}

// giveUp removes the label from a CustomResourceDefinition that remains when the placement is removed, because the control plane never finishes processing
// an object with the label of a policy that does not exist. The CustomResourceDefinition also remains on the members. A Namespace has no label, and the host
// places it without a policy.
func (e *Engine) giveUp(ctx context.Context, found *predict.Prediction, container *predict.Container) error {
	if !found.Removing || container.IsNamespace() {
		return nil
	}
	releasing := e.releasing(found)
	releasing.Orphan = v1alpha1.OrphanAll
	return releasing.Object(ctx, container.Live, false)
}

// each calls work for the objects concurrently, and returns the joined errors.
func each(objects []*unstructured.Unstructured, work func(*unstructured.Unstructured) error) error {
	errs := make([]error, len(objects))
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for i, u := range objects {
		group.Go(func() error {
			errs[i] = work(u)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs...)
}
