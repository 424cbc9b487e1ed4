package memberpreview

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// unavailable records as failed the API groups whose API service does not respond; for a definition, only its own group. It returns an error if the cluster
// is unreachable.
func (c *contents) unavailable(ctx context.Context) error {
	groups, err := c.member.Cluster.UnavailableGroups(ctx)
	if err != nil {
		return clusterset.Unreachable(c.member.Cluster.Name(), err)
	}
	for _, group := range groups {
		if c.container.Namespace != "" || c.container.Kind.Group == group.Group {
			c.fail("every kind of "+group.String(), fmt.Errorf("its API service does not respond. Restore it, or delete the APIService %s.%s",
				group.Version, group.Group))
		}
	}
	return nil
}

// listBackoff defines the retries of a list that the API server cannot serve at the moment. They take about four seconds.
var listBackoff = wait.Backoff{Duration: 250 * time.Millisecond, Factor: 2, Steps: 5}

func (c *contents) list(ctx context.Context, kind kube.Kind) error {
	var objects []metav1.ObjectMeta
	var isGone bool
	var err error
	_ = wait.ExponentialBackoffWithContext(ctx, listBackoff, func(ctx context.Context) (done bool, _ error) {
		objects, err = c.member.Cluster.ListMetadata(ctx, kind.GVK(), c.container.Namespace, "")
		if kube.IsUnknownKind(err) {
			if isGone, err = c.rediscover(ctx, &kind, err); isGone {
				return true, nil
			}
		}
		isRetryable := kube.IsServerFailure(err) || kube.IsUnknownKind(err)
		return !isRetryable || c.hasFailed(), nil
	}) // err is the error of the last attempt
	if clusterset.IsUnavailable(err) || ctx.Err() != nil {
		return clusterset.Unreachable(c.member.Cluster.Name(), err)
	}
	id := manifest.Identifier{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
	switch name := id.GroupVersionKind().GroupKind().String(); {
	case isGone:
		return nil
	case kube.IsForbidden(err), kube.IsNotAllowed(err):
		c.deny(name, err)
		return nil
	case err != nil:
		c.fail(name, err)
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed[id.GroupVersionKind().GroupKind()] = true
	for _, object := range objects {
		id.Namespace, id.Name = object.Namespace, object.Name
		c.found = append(c.found, content{Identifier: id, meta: object})
		c.uids[object.UID] = true
	}
	return nil
}

// rediscover looks up a kind again after a list has failed because the cluster does not serve it; unknown is this error. The definition of the kind was
// deleted, or serves another version now. isGone reports whether the cluster no longer serves the kind in any version. If the cluster serves the kind,
// rediscover updates kind and returns unknown, so that the caller retries.
func (c *contents) rediscover(ctx context.Context, kind *kube.Kind, unknown error) (isGone bool, err error) {
	c.member.Cluster.ResetDiscovery()
	kinds, err := c.member.Cluster.Kinds(ctx)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(kinds, func(now kube.Kind) bool { return now.Group == kind.Group && now.Kind == kind.Kind })
	if at < 0 {
		err := c.unavailable(ctx)
		return err == nil, err
	}
	*kind = kinds[at]
	return false, unknown
}

// checkUnserved checks the kind of a definition if discovery does not have it. It records the kind as failed if objects of the kind may exist: a cluster can
// store objects of a kind without serving any version of the kind. It returns an error if the cluster is unreachable.
func (c *contents) checkUnserved(ctx context.Context) error {
	if c.container.Namespace != "" || len(c.listed)+len(c.denied)+len(c.failed) > 0 {
		return nil
	}
	err := c.member.Cluster.CheckUnserved(ctx, c.container.Kind)
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(c.member.Cluster.Name(), err)
	}
	if err != nil {
		c.fail(c.container.Kind.String(), err)
	}
	return nil
}

func (c *contents) deny(kind string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied[kind] = err
}

func (c *contents) fail(kind string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed[kind] = err
}

// hasFailed reports whether the list of any kind has failed. Other lists are then not retried.
func (c *contents) hasFailed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.failed) > 0
}
