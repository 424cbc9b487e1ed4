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

// admissionGroup is the API group of the webhooks and policies that have a say in what is written to a cluster.
const admissionGroup = "admissionregistration.k8s.io"

// admissionKinds are the kinds of that group that have rules, and where these stand in an object.
var admissionKinds = map[string]func(*unstructured.Unstructured) []admissionRule{
	"MutatingWebhookConfiguration":   webhookRules,
	"ValidatingWebhookConfiguration": webhookRules,
	"MutatingAdmissionPolicy":        policyRules,
	"ValidatingAdmissionPolicy":      policyRules,
}

// admissionRule says which requests a webhook or a policy looks at.
type admissionRule struct{ groups, resources, operations []string }

// admission is what is known of a cluster's webhooks and policies; it is read once, when something depends on it.
type admission struct {
	once  sync.Once
	rules []admissionRule
	err   error
}

// settles tells whether a local comparison leaves nothing to ask the API server: it finds no difference beyond doubt, and no admission rule
// could have another opinion on a write that changes nothing.
func (m *Member) settles(ctx context.Context, o *Object, local *diff.Comparison) (bool, error) {
	if !local.Certain() || local.Differs() {
		return false, nil
	}
	doubt, err := m.admissionDoubts(ctx, o)
	return !doubt, err
}

// admissionDoubts tells whether an admission webhook or policy may have an opinion on an update of an object that changes nothing, which
// only a dry run can find out. Their conditions and selectors are not looked at: where they are in doubt, so is the write.
func (m *Member) admissionDoubts(ctx context.Context, o *Object) (bool, error) {
	m.admission.once.Do(func() { m.admission.rules, m.admission.err = admissionRules(ctx, m.Cluster) })
	switch {
	case clusterset.IsUnavailable(m.admission.err):
		return true, clusterset.Unreachable(m.Cluster.Name(), m.admission.err)
	case m.admission.err != nil:
		return true, nil //nolint:nilerr // rules that cannot be seen cannot be ruled out
	}
	return slices.ContainsFunc(m.admission.rules, func(r admissionRule) bool {
		return matches(r.groups, o.Mapping.GVR.Group) && matches(r.operations, "UPDATE") &&
			(matches(r.resources, o.Mapping.GVR.Resource) || slices.Contains(r.resources, "*/*"))
	}), nil
}

func matches(patterns []string, value string) bool {
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
