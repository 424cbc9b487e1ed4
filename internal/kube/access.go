package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// everything is what a cluster administrator may do.
var everything = Check{Verb: "*", GVR: schema.GroupVersionResource{Group: "*", Version: "*", Resource: "*"}}

const (
	// adminFirst is the minimum number of unanswered checks for which CanI first checks for the rights of a cluster administrator.
	adminFirst = 3
	// rulesAbove is the number of unanswered checks in one namespace above which CanI requests all rules of this namespace in one review.
	rulesAbove = 1
)

// CanI reports, for each check, whether the account has the right. It sends few requests: one for the rights of a cluster administrator if at least
// adminFirst checks have no cached answer, one per namespace with several unanswered checks, and one for every check that is still unanswered. The Cluster
// caches the answers for its lifetime. Confirm replaces a cached answer.
func (c *Cluster) CanI(ctx context.Context, checks []Check) (map[Check]bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (map[Check]bool, error) {
		_, open := c.knownAccess(checks)
		if len(open) >= adminFirst {
			if err := c.checkAccess(ctx, clients, everything); err != nil {
				return nil, err
			}
			_, open = c.knownAccess(checks)
		}
		if err := inParallel(ctx, crowdedNamespaces(open), func(ctx context.Context, namespace string) error {
			return c.requestRules(ctx, clients, namespace)
		}); err != nil {
			return nil, err
		}
		_, open = c.knownAccess(checks)
		if err := inParallel(ctx, open, func(ctx context.Context, check Check) error {
			return c.checkAccess(ctx, clients, check)
		}); err != nil {
			return nil, err
		}
		answers, _ := c.knownAccess(checks)
		return answers, nil
	})
}

// inParallel calls work for the items, at most MaxParallel at a time. After an error, it cancels the other calls, and returns the error.
func inParallel[T any](ctx context.Context, items []T, work func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(MaxParallel)
	for _, item := range items {
		group.Go(func() error { return work(ctx, item) })
	}
	return group.Wait()
}

// crowdedNamespaces returns the namespaces with more than rulesAbove unanswered checks. In these namespaces, one rules review needs fewer requests than the
// single checks. A rules review cannot answer checks for all namespaces or for cluster-scoped kinds.
func crowdedNamespaces(open []Check) []string {
	counts := map[string]int{}
	for _, check := range open {
		counts[check.Namespace]++
	}
	delete(counts, "")
	maps.DeleteFunc(counts, func(_ string, count int) bool { return count <= rulesAbove })
	return slices.Sorted(maps.Keys(counts))
}

func (c *Cluster) knownAccess(checks []Check) (answers map[Check]bool, open []Check) {
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	answers = map[Check]bool{}
	seen := map[Check]bool{}
	for _, check := range checks {
		allowed, known := c.cachedAccess(check)
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

// The caller of cachedAccess holds accessMu.
func (c *Cluster) cachedAccess(check Check) (allowed, known bool) {
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
	allowed = rules.isAllowed(check)
	return allowed, allowed || rules.complete
}

func (c *Cluster) checkAccess(ctx context.Context, clients *clients, check Check) error {
	c.accessMu.Lock()
	_, known := c.cachedAccess(check)
	c.accessMu.Unlock()
	if known {
		return nil
	}
	_, err := c.requestAccess(ctx, clients, check)
	return err
}

func (c *Cluster) requestAccess(ctx context.Context, clients *clients, check Check) (allowed bool, err error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: check.Verb, Group: check.GVR.Group, Version: check.GVR.Version, Resource: check.GVR.Resource, Namespace: check.Namespace,
		},
	}}
	if err := clients.postReview(ctx, "SelfSubjectAccessReview", review); err != nil {
		return false, err
	}
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	c.access[check] = review.Status.Allowed
	if !review.Status.Allowed {
		c.access[everything] = false // corrects an earlier answer, which may be outdated
	}
	return review.Status.Allowed, nil
}

// postReview sends a review, and decodes the answer into it. It does not use client-go's typed client, which imports the Go types of all built-in kinds.
func (c *clients) postReview(ctx context.Context, kind string, review runtime.Object) error {
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
	var meta metav1.TypeMeta
	if json.Unmarshal(answer, &meta) != nil || meta.Kind != "" && meta.Kind != kind || json.Unmarshal(answer, review) != nil {
		return &answerError{"the answer is not a " + kind}
	}
	return nil
}

// requestRules caches the rules of a namespace. If the cluster does not serve or allow the review, requestRules caches an empty list, and CanI requests each
// check separately.
func (c *Cluster) requestRules(ctx context.Context, clients *clients, namespace string) error {
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}
	err := clients.postReview(ctx, "SelfSubjectRulesReview", review)
	found := &accessRules{}
	switch {
	case err == nil:
		found.rules = review.Status.ResourceRules
		found.complete = !review.Status.Incomplete && review.Status.EvaluationError == ""
	case !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err):
		return err
	}
	c.accessMu.Lock()
	defer c.accessMu.Unlock()
	c.rules[namespace] = found
	return nil
}

// Confirm repeats a check without the cache, and caches the new answer for CanI. Use it after a request was forbidden although CanI reported the right: the
// response does not show whether the account lacks the right or an admission rule denied the request.
func (c *Cluster) Confirm(ctx context.Context, check Check) (bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (bool, error) { return c.requestAccess(ctx, clients, check) })
}
