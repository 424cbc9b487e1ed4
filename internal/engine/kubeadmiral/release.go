package kubeadmiral

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// key is the identity of an object.
type key = manifest.Key

// releasesAtOnce is how many objects are released at once.
const releasesAtOnce = 8

func (e *Engine) releasing(found *predict.Prediction) host.Release {
	return host.Release{
		Host: e.clusters.Hub, Types: found.Fleet.Types, Of: found.Placement.Reference, Orphan: convert.Orphan(found.Placement.Spec), Pause: e.pause,
	}
}

// release takes objects out of the placement, and removes those that the provider has made: the Namespaces and definitions among them last, and
// only if nothing else goes with them. It warns of those that stay.
func (e *Engine) release(ctx context.Context, found *predict.Prediction, labelled []*unstructured.Unstructured) (warnings []string, err error) {
	made := host.MadeBy(found.Fleet.PolicyLive)
	var ids []manifest.Identifier
	for _, id := range made {
		ids = append(ids, id)
	}
	ours, err := host.Objects(ctx, e.clusters.Hub, ids)
	if err != nil {
		return nil, err
	}
	for _, u := range labelled {
		if k := manifest.NewObject(u, nil).Key(); ours[k] == nil {
			ours[k] = u
		}
	}
	var objects, containers []*unstructured.Unstructured
	for _, u := range ours {
		if _, is := source.AsContainer(manifest.NewObject(u, nil).Identifier, u); is {
			containers = append(containers, u)
		} else {
			objects = append(objects, u)
		}
	}
	releasing := e.releasing(found)
	if err := each(objects, func(u *unstructured.Unstructured) error {
		_, is := made[manifest.NewObject(u, nil).Key()]
		return releasing.Object(ctx, u, is)
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(containers, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	for _, u := range containers {
		id := manifest.NewObject(u, nil).Identifier
		if _, is := made[id.Key()]; !is {
			err = errors.Join(err, releasing.Object(ctx, u, false))
			continue
		}
		held, heldErr := e.held(ctx, found, u)
		switch {
		case heldErr != nil:
			err = errors.Join(err, heldErr)
		case held != "":
			warnings = append(warnings, fmt.Sprintf("%s stays on the host, and on the members: %s", id, held))
		default:
			err = errors.Join(err, releasing.Object(ctx, u, true))
		}
	}
	return warnings, err
}

// held says why a Namespace or definition stays: a host deletes it on the members with everything in it.
func (e *Engine) held(ctx context.Context, found *predict.Prediction, u *unstructured.Unstructured) (string, error) {
	id := manifest.NewObject(u, nil).Identifier
	container, _ := source.AsContainer(id, u)
	if convert.Orphan(found.Placement.Spec) == v1alpha1.OrphanAll {
		return "the propagation policy is Abandon, and a host deletes the Namespaces that it has made whatever that says", nil
	}
	if held, err := e.holds(ctx, container); held != "" || err != nil {
		return held, err
	}
	for _, c := range found.Clusters {
		for _, o := range c.Leftovers {
			if o.Key() == id.Key() && o.Action == takeover.ActionOrphan && o.Contents != nil {
				return o.Contents.Obstacle() + " on " + c.Name, nil
			}
		}
	}
	return "", nil
}

// holds says what else is in a container on the host. What the control plane keeps there goes by itself, a moment after what it is about.
func (e *Engine) holds(ctx context.Context, container source.Container) (string, error) {
	for began := time.Now(); ; {
		look := &memberpreview.Member{Cluster: e.clusters.Hub}
		contents, err := look.Contents(ctx, container, memberpreview.Going{})
		if err != nil || contents.Empty() {
			return "", err
		}
		own := len(contents.Objects) > 0 && !slices.ContainsFunc(contents.Objects, func(id manifest.Identifier) bool { return id.Group != v1alpha1.GroupVersion.Group })
		if !own || time.Since(began) >= e.pace.Notice || !e.pause(ctx) {
			return contents.Obstacle() + " on the host", nil
		}
	}
}

// each works on several objects at once.
func each(objects []*unstructured.Unstructured, work func(*unstructured.Unstructured) error) error {
	errs := make([]error, len(objects))
	var group errgroup.Group
	group.SetLimit(releasesAtOnce)
	for i, u := range objects {
		group.Go(func() error {
			errs[i] = work(u)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs...)
}
