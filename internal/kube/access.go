package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

const (
	// adminFirst is the number of unanswered checks from which it pays to ask first whether the account may do everything.
	adminFirst = 3
	// rulesAbove is the number of unanswered checks in a namespace above which all rules of that namespace are asked for at once.
	rulesAbove = 1
)

// CanI asks the cluster what the account may do. Where the account may do everything, one request answers all; otherwise one answers many
// checks in a namespace, as far as the authorizer can list its rules, and one each of the others. The answers are kept for the life of the
// process.
func (c *Cluster) CanI(ctx context.Context, checks []Check) (map[Check]bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (map[Check]bool, error) {
		_, open := c.knownAccess(checks)
		if len(open) >= adminFirst {
			if err := c.ask(ctx, clients, everything); err != nil {
				return nil, err
			}
			_, open = c.knownAccess(checks)
		}
		if err := inParallel(ctx, c.options.Workers, crowded(open), func(ctx context.Context, namespace string) error {
			return c.askRules(ctx, clients, namespace)
		}); err != nil {
			return nil, err
		}
		_, open = c.knownAccess(checks)
		if err := inParallel(ctx, c.options.Workers, open, func(ctx context.Context, check Check) error {
			return c.ask(ctx, clients, check)
		}); err != nil {
			return nil, err
		}
		answers, _ := c.knownAccess(checks)
		return answers, nil
	})
}

// inParallel does work for every item, a bounded number at once, and returns the first error.
func inParallel[T any](ctx context.Context, workers int, items []T, work func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, item := range items {
		group.Go(func() error { return work(ctx, item) })
	}
	return group.Wait()
}

// crowded returns the namespaces with so many checks that asking for all their rules is cheaper. What is asked of all namespaces, or of
// kinds without one, no rules of a namespace can tell.
func crowded(open []Check) []string {
	counts := map[string]int{}
	for _, check := range open {
		counts[check.Namespace]++
	}
	delete(counts, "")
	maps.DeleteFunc(counts, func(_ string, count int) bool { return count <= rulesAbove })
	return slices.Sorted(maps.Keys(counts))
}

// knownAccess splits checks into those whose answer is known, and the others, each once.
func (c *Cluster) knownAccess(checks []Check) (answers map[Check]bool, open []Check) {
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	answers = map[Check]bool{}
	seen := map[Check]bool{}
	for _, check := range checks {
		allowed, known := c.known(check)
		switch {
		case known:
			answers[check] = allowed
		case !seen[check]:
			open = append(open, check)
		}
		seen[check] = true
	}
	return answers, open
}

// known returns the answer to a check if one can be had without asking. accessMu is held.
func (c *Cluster) known(check Check) (allowed, known bool) {
	if c.access[everything] {
		return true, true
	}
	if allowed, known = c.access[check]; known {
		return allowed, true
	}
	rules := c.rules[check.Namespace]
	if rules == nil {
		return false, false
	}
	allowed = rules.allow(check)
	return allowed, allowed || rules.complete
}

// ask asks for one answer, unless it is known by now.
func (c *Cluster) ask(ctx context.Context, clients *clients, check Check) error {
	c.accessMu.Lock()
	_, known := c.known(check)
	c.accessMu.Unlock()
	if known {
		return nil
	}
	_, err := c.review(ctx, clients, check)
	return err
}

// review asks for one answer and keeps it.
func (c *Cluster) review(ctx context.Context, clients *clients, check Check) (allowed bool, err error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: check.Verb, Group: check.GVR.Group, Version: check.GVR.Version, Resource: check.GVR.Resource, Namespace: check.Namespace,
		},
	}}
	if err := clients.askReview(ctx, "SelfSubjectAccessReview", review); err != nil {
		return false, err
	}
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	c.access[check] = review.Status.Allowed
	if !review.Status.Allowed {
		c.access[everything] = false // whatever was said before
	}
	return review.Status.Allowed, nil
}

// askReview sends a review and reads the answer into it. client-go's typed client would do the same, and would import the Go types of all
// built-in kinds.
func (c *clients) askReview(ctx context.Context, kind string, review runtime.Object) error {
	review.GetObjectKind().SetGroupVersionKind(authorizationv1.SchemeGroupVersion.WithKind(kind))
	body, err := json.Marshal(review)
	if err != nil {
		return err
	}
	path := []string{"apis", authorizationv1.GroupName, authorizationv1.SchemeGroupVersion.Version, strings.ToLower(kind) + "s"}
	answer, err := rawAnswer(c.rest.Post().AbsPath(path...).SetHeader("Content-Type", "application/json").Body(body).Do(ctx))
	if err != nil {
		return err
	}
	var is metav1.TypeMeta
	if json.Unmarshal(answer, &is) != nil || is.Kind != "" && is.Kind != kind || json.Unmarshal(answer, review) != nil {
		return &answerError{"the answer is no " + kind}
	}
	return nil
}
