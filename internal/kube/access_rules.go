package kube

import (
	"context"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// accessRules are what the account may do in one namespace.
type accessRules struct {
	rules []authorizationv1.ResourceRule
	// complete says that what no rule allows is not allowed. An authorizer behind a webhook, as managed clusters have, cannot list its rules.
	complete bool
}

// askRules asks for all rules of a namespace. A cluster that does not serve the review leaves the checks to be asked one by one.
func (c *Cluster) askRules(ctx context.Context, clients *clients, namespace string) error {
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}
	err := clients.askReview(ctx, "SelfSubjectRulesReview", review)
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

func (r *accessRules) allow(check Check) bool {
	return slices.ContainsFunc(r.rules, func(rule authorizationv1.ResourceRule) bool { return ruleAllows(rule, check) })
}

// ruleAllows reports whether a rule grants a check for objects of every name, in the way RBAC reads rules: "*" stands for anything, and
// "*/status" for that subresource of every kind.
func ruleAllows(rule authorizationv1.ResourceRule, check Check) bool {
	if len(rule.ResourceNames) > 0 {
		return false
	}
	resources := []string{"*", check.GVR.Resource}
	if _, subresource, found := strings.Cut(check.GVR.Resource, "/"); found {
		resources = append(resources, "*/"+subresource)
	}
	return anyOf(rule.Verbs, "*", check.Verb) && anyOf(rule.APIGroups, "*", check.GVR.Group) && anyOf(rule.Resources, resources...)
}

func anyOf(have []string, wanted ...string) bool {
	return slices.ContainsFunc(wanted, func(value string) bool { return slices.Contains(have, value) })
}
