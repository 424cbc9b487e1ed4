package memberpreview

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const admissionGroup = "admissionregistration.k8s.io"

// admissionKinds maps the kinds in admissionGroup that contain rules to functions that return the rules of an object.
var admissionKinds = map[string]func(*unstructured.Unstructured) []admissionRule{
	"MutatingWebhookConfiguration":   webhookRules,
	"ValidatingWebhookConfiguration": webhookRules,
	"MutatingAdmissionPolicy":        policyRules,
	"ValidatingAdmissionPolicy":      policyRules,
}

type admissionRule struct{ groups, resources, operations []string }

// admission caches the rules of a cluster's webhooks and policies. They are read once, when a decision first depends on them.
type admission struct {
	once  sync.Once
	rules []admissionRule
	err   error
}

// isSettled reports whether no dry run is needed: local certainly shows that the objects are equal, and no admission rule matches an update of the object. It
// returns an error if the cluster is unreachable.
func (m *Member) isSettled(ctx context.Context, o *Object, local *diff.Comparison) (bool, error) {
	if !local.Certain() || local.Differs() {
		return false, nil
	}
	isPossible, err := m.isAdmissionPossible(ctx, o)
	return !isPossible, err
}

// isAdmissionPossible reports whether an admission webhook or policy may affect an update, even one that changes nothing. It compares only the API group, the
// resource and the operation, and ignores selectors and conditions. It returns true if it cannot read the webhooks and policies. If the cause is that the
// cluster is unreachable, it also returns an error.
func (m *Member) isAdmissionPossible(ctx context.Context, o *Object) (bool, error) {
	m.admission.once.Do(func() { m.admission.rules, m.admission.err = admissionRules(ctx, m.Cluster) })
	switch {
	case clusterset.IsUnavailable(m.admission.err):
		return true, clusterset.Unreachable(m.Cluster.Name(), m.admission.err)
	case m.admission.err != nil:
		return true, nil //nolint:nilerr // rules that cannot be read may exist
	}
	return slices.ContainsFunc(m.admission.rules, func(r admissionRule) bool {
		return hasMatch(r.groups, o.Mapping.GVR.Group) && hasMatch(r.operations, "UPDATE") &&
			(hasMatch(r.resources, o.Mapping.GVR.Resource) || slices.Contains(r.resources, "*/*"))
	}), nil
}

func hasMatch(patterns []string, value string) bool {
	return slices.Contains(patterns, "*") || slices.Contains(patterns, value)
}

func admissionRules(ctx context.Context, cluster *kube.Cluster) ([]admissionRule, error) {
	kinds, err := cluster.Kinds(ctx)
	if err != nil {
		return nil, err
	}
	var rules []admissionRule
	seen := map[string]bool{}
	for _, kind := range kinds { // the preferred version of a group comes first
		rulesOf, known := admissionKinds[kind.Kind]
		if !known || kind.Group != admissionGroup || seen[kind.Kind] {
			continue
		}
		seen[kind.Kind] = true
		objects, err := cluster.List(ctx, kind.GVK(), "", "")
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			rules = append(rules, rulesOf(object)...)
		}
	}
	return rules, nil
}

func webhookRules(u *unstructured.Unstructured) []admissionRule {
	var rules []admissionRule
	webhooks, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
	for _, webhook := range webhooks {
		if fields, ok := webhook.(map[string]any); ok {
			rules = append(rules, rulesIn(fields, "rules")...)
		}
	}
	return rules
}

func policyRules(u *unstructured.Unstructured) []admissionRule {
	return rulesIn(u.Object, "spec", "matchConstraints", "resourceRules")
}

func rulesIn(object map[string]any, path ...string) []admissionRule {
	list, _, _ := unstructured.NestedSlice(object, path...)
	var rules []admissionRule
	for _, element := range list {
		fields, ok := element.(map[string]any)
		if !ok {
			continue
		}
		rule := admissionRule{}
		rule.groups, _, _ = unstructured.NestedStringSlice(fields, "apiGroups")
		rule.resources, _, _ = unstructured.NestedStringSlice(fields, "resources")
		rule.operations, _, _ = unstructured.NestedStringSlice(fields, "operations")
		rules = append(rules, rule)
	}
	return rules
}
