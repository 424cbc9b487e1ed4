package kube

import (
	"context"
	"maps"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Check is a question of the account's rights: may it do this with the resources of a kind?
type Check struct {
	Verb string
	GVR  schema.GroupVersionResource
	// Namespace is empty for cluster-scoped resources, or to ask for all namespaces.
	Namespace string
}

// everything is the right of a cluster administrator.
var everything = Check{Verb: "*", GVR: schema.GroupVersionResource{Group: "*", Version: "*", Resource: "*"}}

// adminFirst is the number of unanswered checks from which it pays to ask first whether the account may do everything.
const adminFirst = 3

// CanI asks the cluster what the account may do, one request for each check that was not asked before. Where the account may do
// everything, one request answers all. The answers are kept for the life of the process.
func (c *Cluster) CanI(ctx context.Context, checks []Check) (map[Check]bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (map[Check]bool, error) {
		answers, open := c.knownAccess(checks)
		if len(open) >= adminFirst {
			allowed, err := c.ask(ctx, clients, everything)
			if err != nil {
				return nil, err
			}
			if allowed {
				answers, open = c.knownAccess(checks)
			}
		}
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(c.options.Workers)
		results := make([]bool, len(open))
		for i, check := range open {
			group.Go(func() (err error) {
				results[i], err = c.ask(ctx, clients, check)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i, check := range open {
			answers[check] = results[i]
		}
		return answers, nil
	})
}

// knownAccess splits checks into those whose answer is known, and the others, each once.
func (c *Cluster) knownAccess(checks []Check) (answers map[Check]bool, open []Check) {
	c.accessMu.Lock()
	known := maps.Clone(c.access)
	c.accessMu.Unlock()
	answers = map[Check]bool{}
	seen := map[Check]bool{}
	for _, check := range checks {
		allowed, asked := known[check]
		switch {
		case known[everything]:
			answers[check] = true
		case asked:
			answers[check] = allowed
		case !seen[check]:
			open = append(open, check)
		}
		seen[check] = true
	}
	return answers, open
}

func (c *Cluster) ask(ctx context.Context, clients *clients, check Check) (bool, error) {
	c.accessMu.Lock()
	allowed, asked := c.access[check]
	c.accessMu.Unlock()
	if asked {
		return allowed, nil
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: check.Verb, Group: check.GVR.Group, Version: check.GVR.Version, Resource: check.GVR.Resource, Namespace: check.Namespace,
		},
	}}
	answer, err := clients.access.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	c.access[check] = answer.Status.Allowed
	return answer.Status.Allowed, nil
}
