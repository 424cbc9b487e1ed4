package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// offline is a provider configuration whose plans contact no cluster.
const offline = `
provider "fleet" {
  engine  = "kubefleet"
  hub     = { host = "https://127.0.0.1:1", token = "none" }
  preview = "Off"
}
`

// placed returns a placement of the Namespace shop with further arguments.
func placed(arguments string) string {
	return fmt.Sprintf(`
resource "fleet_crp" "p" {
  name               = "everyday"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "shop" }]
  %s
}
`, arguments)
}

// withTerm returns a placement on clusters that match a label selector.
func withTerm(selector string) string {
	return placed(`policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
    cluster_selector_terms = [{ label_selector = ` + selector + ` }]
  } } } }`)
}

// overriding returns an override of the Deployment shop/web on all clusters.
func overriding(rule string) string {
	return fmt.Sprintf(`
resource "fleet_resource_override" "o" {
  name               = "everyday"
  namespace          = "shop"
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web" }]
  policy             = { override_rules = [{ cluster_selector = { cluster_selector_terms = [] }, %s }] }
}
`, rule)
}

func staged(stage string) string {
	return "resource \"fleet_staged_update_strategy\" \"s\" {\n  name = \"everyday\"\n  stages = [{ name = \"canary\"" + stage + " }]\n}\n"
}

func budget(bounds string) string {
	return "resource \"fleet_disruption_budget\" \"b\" {\n  placement_name = \"everyday\"\n  " + bounds + "\n}\n"
}

func registered(arguments string) string {
	return "resource \"fleet_member_cluster\" \"m\" {\n  name = \"member-1\"\n  " + arguments + "\n}\n"
}

// planDiagnostics returns the sorted diagnostics of a plan, except those about unchecked clusters, in the forms "error at PATH: DETAIL" and
// "warning at PATH: SUMMARY: DETAIL".
func planDiagnostics(t *testing.T, blocks string) []string {
	t.Helper()
	var out []string
	for _, text := range New().Plan(t.Context(), offline+blocks).Diagnostics {
		title, rest, _ := strings.Cut(text, "\n\n")
		where, detail, _ := strings.Cut(rest, "\n\n")
		if strings.HasSuffix(title, ": no preview") {
			continue
		}
		_, at, _ := strings.Cut(where, "\n  on ")
		if summary, is := strings.CutPrefix(title, "Warning: "); is {
			out = append(out, fmt.Sprintf("warning at %s: %s: %s", at, summary, strings.TrimSpace(detail)))
			continue
		}
		out = append(out, fmt.Sprintf("error at %s: %s", at, strings.TrimSpace(detail)))
	}
	slices.Sort(out)
	return out
}

// Values that modules pass for "none" have no effect: null, an empty object, list or map, and a null element of a list or map.
func TestNoneHasNoEffect(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string]string{
		"no manifests":              placed(`manifests = {}` + "\n" + `manifests_wo = {}`),
		"nulls in a strategy":       placed(`strategy = { type = null, rolling_update = {}, apply_strategy = { when_to_take_over = null, server_side_apply_config = {} }, delete_strategy = { contents = null } }`),
		"an external strategy":      placed(`strategy = { type = "External", rolling_update = {} }`),
		"an empty policy":           placed(`policy = {}`),
		"parts of PickAll":          placed(`policy = { placement_type = null, cluster_names = [], topology_spread_constraints = [], tolerations = [], affinity = {} }`),
		"parts of PickFixed":        placed(`policy = { placement_type = "PickFixed", cluster_names = ["member-1", null], tolerations = [], topology_spread_constraints = [], affinity = { cluster_affinity = {} } }`),
		"parts of PickN":            placed(`policy = { placement_type = "PickN", number_of_clusters = 1, cluster_names = [], tolerations = [null], topology_spread_constraints = [null] }`),
		"no required terms":         placed(`policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = null } } } }`),
		"no affinity":               placed(`policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = null, preferred_during_scheduling_ignored_during_execution = [] } } }`),
		"waits and timeouts":        placed(`wait = { until = null }` + "\n" + `timeouts = {}`),
		"a null selector":           strings.Replace(placed(""), "[{", "[null, {", 1),
		"a label that is null":      withTerm(`{ match_labels = { region = "eu", tier = null } }`),
		"only labels that are null": withTerm(`{ match_labels = { tier = null } }`),
		"a member":                  registered(`labels = { a = "b", c = null }` + "\n" + `annotations = { c = null }` + "\n" + `taints = [null, { key = "a", effect = "NoSchedule" }]` + "\n" + `delete_options = { validation_mode = null }`),
		"an override":               overriding(`override_type = null, json_patch_overrides = [null, { op = "add", path = "/spec/replicas", value = "1" }]`),
		"a stage":                   staged(`, label_selector = { match_labels = { tier = null } }, before_stage_tasks = [], after_stage_tasks = [null]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := planDiagnostics(t, blocks); len(got) > 0 {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A mistake is reported once, in plain words, at its argument.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const names = `is not a valid name of a Kubernetes object: use a-z, 0-9, - and dots.`
	workload := func(arguments string) string {
		return "data \"fleet_workload\" \"w\" {\n  cluster = \"member-1\"\n  version = \"v1\"\n  name = \"web\"\n  " + arguments + "\n}\n"
	}
	for name, c := range map[string]struct {
		blocks string
		want   []string
	}{
		"a name":                {strings.Replace(placed(""), `"everyday"`, `"My_Web"`, 1), []string{`error at name: "My_Web" ` + names}},
		"only null texts":       {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  manifests = { a = null }\n}\n", []string{"error at manifests: Every value of manifests is null, so all keys are omitted. Set one of them, or set resource_selectors to select objects on the hub."}},
		"a required argument":   {strings.Replace(placed(""), `group = ""`, `group = null`, 1), []string{"error at resource_selectors: resource_selectors[0].group is required, and it is missing or null. Set it."}},
		"a digest":              {placed(`expected_preview = "sha256:1"`), []string{`error at expected_preview: The value cannot be used: it is not the digest of a preview: use the attribute "digest" of a fleet_placement_preview unchanged.`}},
		"a value in lower case": {placed(`strategy = { apply_strategy = { when_to_take_over = "never" } }`), []string{`error at strategy: strategy.apply_strategy.when_to_take_over: "never" is spelled "Never"`}},
		"contents with Abandon": {placed(`strategy = { delete_strategy = { propagation_policy = "Abandon", contents = "Delete" } }`), []string{
			"error at strategy: A hub always deletes a Namespace with everything in it. Omit contents. The plan of a destroy counts the deleted objects.",
			"warning at strategy: Likely mistake in strategy.delete_strategy.contents: it has no effect with propagation_policy Abandon, which deletes nothing: remove it.",
		}},
		"a contradiction": {withTerm(`{ match_labels = { a = "b" }, match_expressions = [{ key = "a", operator = "DoesNotExist" }] }`), []string{
			`warning at policy: Likely mistake in policy.affinity.cluster_affinity.required_during_scheduling_ignored_during_execution.cluster_selector_terms[0].label_selector: ` +
				`nothing can match: its requirements for the label "a" contradict each other.`,
		}},
		"a label key": {withTerm(`{ match_labels = { "a b" = "c" } }`), []string{
			`error at policy: policy.affinity.cluster_affinity.required_during_scheduling_ignored_during_execution.cluster_selector_terms[0].label_selector.match_labels["a b"]: ` +
				`"a b" is not a label key: use A-Z, a-z, 0-9, -, _ and dots`,
		}},
		"a kind in a manifest": {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  manifests = { a = \"{apiVersion: apps/v1, kind: Deployments, metadata: {name: a, namespace: shop}}\" }\n}\n", []string{`error at manifests: manifests["a"]: Deployments shop/a: kind: "Deployments" is not a kind: did you mean Deployment?`}},
		"a namespace of a placement": {strings.NewReplacer("fleet_crp", "fleet_resource_placement", `"everyday"`, "\"everyday\"\n  namespace = \"kube-system\"", `kind = "Namespace"`, `kind = "ConfigMaps"`).Replace(placed("")), []string{
			`error at namespace: "kube-system" is not a valid namespace of placed objects: it is reserved for the cluster or the fleet, and nothing in it is placed.`,
			`error at resource_selectors: resource_selectors[0].kind: "ConfigMaps" is not a kind: did you mean ConfigMap?`,
		}},
		"a workload without a namespace":     {workload(`group = "apps"` + "\n" + `kind = "Deployment"`), []string{"error at namespace: namespace: a Deployment is namespaced: set the namespace"}},
		"a workload in a reserved namespace": {workload(`kind = "ConfigMap"` + "\n" + `namespace = "kube-system"`), []string{"error at namespace: namespace: it is reserved: the objects in kube-system belong to the cluster or the fleet, and are never placed"}},
		"a workload in lower case":           {workload(`group = "apps"` + "\n" + `kind = "deployment"` + "\n" + `namespace = "shop"`), []string{`error at kind: kind: "deployment" is not a kind: did you mean Deployment?`}},
		"a stage of no cluster":              {staged(""), []string{"warning at stages: Likely mistake in stages[0]: without a label_selector no cluster is in the stage: to mean all clusters, set label_selector = {}."}},
		"a state of a run":                   {"resource \"fleet_staged_update_run\" \"r\" {\n  name = \"r\"\n  placement_name = \"web\"\n  staged_rollout_strategy_name = \"s\"\n  state = \"run\"\n}\n", []string{`error at state: "run" is not a value of state: it is spelled "Run".`}},
		"a budget of zero":                   {budget(`min_available = "0"`), []string{"warning at min_available: Likely mistake in min_available: with 0 the budget blocks no eviction: remove it, or set a larger number."}},
		"an empty budget":                    {budget(`min_available = ""`), []string{`error at min_available: "" is not a valid number of clusters: it is empty.`}},
		"an escape":                          {overriding(`json_patch_overrides = [{ op = "add", path = "/metadata/annotations/a~2b", value = jsonencode("c") }]`), []string{"error at policy: policy.override_rules[0].json_patch_overrides[0].path: in a JSON pointer, ~ must be followed by 0 or 1: write ~0 for ~, and ~1 for /"}},
		"a number as a label":                {overriding(`json_patch_overrides = [{ op = "add", path = "/metadata/labels/a", value = jsonencode(5) }]`), []string{`error at policy: policy.override_rules[0].json_patch_overrides[0].value: label values are strings: write jsonencode("..."), with quotes around a number, true or false`}},
		"two values of an override":          {overriding(`json_patch_overrides = [{ op = "add", path = "/spec/replicas", value = "1", value_sensitive = "2" }]`), []string{`error at policy: policy.override_rules[0].json_patch_overrides[0].value_sensitive: value is set as well: remove one of them`}},
		"a value of a Secret":                {strings.NewReplacer(`"apps"`, `""`, `"Deployment"`, `"Secret"`).Replace(overriding(`json_patch_overrides = [{ op = "add", path = "/data/a", value = jsonencode("Yg==") }]`)), []string{`error at policy: policy.override_rules[0].json_patch_overrides[0].value: plans show it, and it is a value of a Secret: set value_sensitive instead`}},
		"ignored fields of a hub":            {placed(`ignore_fields = [{ kind = "Deployment", fields = ["spec.replicas"] }]`), []string{`error at ignore_fields: The agents of KubeFleet write all fields of an object. Leave the field out of the manifest, which only an envelope can do, or use engine = "direct".`}},
		"an ignored element":                 {placed(`ignore_fields = [{ fields = ["spec.template.spec.containers[0].image"] }]`), []string{`error at ignore_fields: ignore_fields[0].fields: "spec.template.spec.containers[0].image" is not a field that can be ignored: write an element of a list as [name=value], with the field that identifies it`}},
		"a type of an override":              {overriding(`override_type = "delete"`), []string{`error at policy: policy.override_rules[0].override_type: "delete" is spelled "Delete"`}},
		"a kind of an override":              {strings.Replace(overriding(`override_type = "Delete"`), `"Deployment"`, `"deployment"`, 1), []string{`error at resource_selectors: resource_selectors[0].kind: "deployment" is not a kind: did you mean Deployment?`}},
		"a namespace of an override":         {strings.Replace(overriding(`override_type = "Delete"`), `"shop"`, `"kube-system"`, 1), []string{`error at namespace: "kube-system" is not a valid namespace of placed objects: it is reserved for the cluster or the fleet, and nothing in it is placed.`}},
		"an envelope without objects":        {"resource \"fleet_envelope_configmap\" \"e\" {\n  name = \"E_e\"\n  namespace = \"shop\"\n  manifests = { a = null }\n}\n", []string{"error at manifests: manifests: the envelope has no objects: set at least one manifest, or configure no envelope (count = 0)", `error at name: "E_e" ` + names}},
		"a namespace of a user":              {registered(`identity = { kind = "User", name = "agent", namespace = "shop", api_group = "rbac.authorization.k8s.io" }`), []string{"warning at identity: Likely mistake in identity: a User is cluster-scoped, so the namespace has no effect: remove it."}},
		"two members of one name":            {registered("") + strings.Replace(registered(""), `"m"`, `"n"`, 1), []string{`error at name: Another resource of this configuration plans the member "member-1" as well: each would undo what the other writes. Remove one of them, or give it another name.`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := planDiagnostics(t, c.blocks); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
