package kube

import (
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type accessRules struct {
	rules []authorizationv1.ResourceRule
	// complete reports that there are no other rules, so that everything else is denied. It is false with a webhook authorizer, as in managed
	// clusters, because such an authorizer cannot list its rules.
	complete bool
}

func (r *accessRules) isAllowed(check Check) bool {
	return slices.ContainsFunc(r.rules, func(rule authorizationv1.ResourceRule) bool { return ruleAllows(rule, check) })
}

// ruleAllows reports whether a rule grants a check for objects of every name. It follows RBAC: "*" matches anything, and "*/status" matches
// the subresource status of every kind.
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

// A Check asks whether the account may use a verb on a resource.
type Check struct {
	Verb string
	GVR  schema.GroupVersionResource
	// Namespace is empty for cluster-scoped resources, and for all namespaces.
	Namespace string
}
