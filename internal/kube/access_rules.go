package kube

import (
	"context"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// accessRules lists what the account may do in one namespace.
type accessRules struct {
	rules []authorizationv1.ResourceRule
	// complete means that everything without a rule is denied. A webhook authorizer, as managed clusters have, cannot list its rules.
	complete bool
}

// requestRules requests all rules of a namespace. If the cluster does not serve the review, CanI requests each check on its own.
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

func (r *accessRules) isAllowed(check Check) bool {
	return slices.ContainsFunc(r.rules, func(rule authorizationv1.ResourceRule) bool { return ruleAllows(rule, check) })
}

// ruleAllows reports whether a rule grants a check for objects of every name. It follows RBAC: "*" matches anything, "*/status" that
// subresource of every kind.
func ruleAllows(rule authorizationv1.ResourceRule, check Check) bool {
	if len(rule.ResourceNames) > 0 {
		return false
	}
	resources := []string{"*", check.GVR.Resource}
	if _, subresource, found := strings.Cut(check.GVR.Resource, "/"); found {
		resources = append(resources, "*/"+subresource)
	}
	return containsAny(rule.Verbs, "*", check.Verb) && containsAny(rule.APIGroups, "*", check.GVR.Group) && containsAny(rule.Resources, resources...)
}

func containsAny(have []string, values ...string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(have, value) })
}
