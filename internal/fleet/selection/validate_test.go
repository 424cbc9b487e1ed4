package selection

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// checkProblems fails unless exactly the wanted problems are reported, each with its path and words.
func checkProblems(t *testing.T, problems []placement.Problem, want ...string) {
	t.Helper()
	if len(problems) != len(want) {
		t.Errorf("got %v, want %q", problems, want)
		return
	}
	for i, p := range problems {
		at, words, _ := strings.Cut(want[i], " | ")
		if p.Path.String() != at || !strings.Contains(p.Message, words) {
			t.Errorf("got %s, want %s", p, want[i])
		}
	}
}

func TestValidateManifests(t *testing.T) {
	const plain = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: app}}"
	named := func(name string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: app, name: " + name + "}}"
	}
	for name, c := range map[string]struct {
		text string
		want string // "" for none
	}{
		"valid":                          {plain, ""},
		"empty":                          {"", `manifests["k"] | it has no object`},
		"comments":                       {"# nothing\n---\n# here\n", `manifests["k"] | it has no object`},
		"a template":                     {"kind: {{ .Values.kind }}", `manifests["k"] | looks like a template, such as a Helm template`},
		"broken":                         {"kind: [", `manifests["k"] | document 1: line 1`},
		"a name in Unicode":              {named("größe"), `manifests["k"] | ConfigMap app/größe: metadata.name: use a-z, 0-9, - and dots`},
		"a long name":                    {named(strings.Repeat("a", 254)), `manifests["k"] | it has 254 characters, and at most 253 are allowed`},
		"the name of a role":             {"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'system:a'}}", ""},
		"twice":                          {plain + "\n---\n" + plain, `manifests["k"] | ConfigMap app/a: it is listed twice`},
		"a namespace too many":           {"{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: app}}", `manifests["k"] | a Namespace is cluster-scoped`},
		"no namespace":                   {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}", `manifests["k"] | a Deployment is namespaced: set metadata.namespace`},
		"a custom resource":              {"{apiVersion: example.org/v1, kind: Sample, metadata: {name: a}}", ""},
		"Namespace kube-system":          {"{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}", `manifests["k"] | Namespace kube-system: the namespace is reserved`},
		"Namespace default":              {"{apiVersion: v1, kind: Namespace, metadata: {name: default}}", `manifests["k"] | Namespace default: the namespace is reserved`},
		"in default":                     {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}", ""},
		"a record":                       {"{apiVersion: v1, kind: ConfigMap, metadata: {name: member-cluster, namespace: fleet-system}}", `manifests["k"] | the namespace fleet-system is reserved`},
		"in the namespace of a member":   {"{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: fleet-member-a}}", `manifests["k"] | the namespace fleet-member-a is reserved`},
		"more than an API server stores": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: app}, data: {a: " + strings.Repeat("x", 1<<20) + "}}", `manifests["k"] | an API server stores`},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			if c.want != "" {
				want = append(want, c.want)
			}
			checkProblems(t, ValidateManifests(Given{Attribute: "manifests", Texts: map[string]string{"k": c.text}}), want...)
		})
	}
	checkProblems(t, ValidateManifests(
		Given{Attribute: "manifests", Texts: map[string]string{"a": plain, "b": plain}}, Given{Attribute: "manifests_wo", Texts: map[string]string{"c": plain}},
	), `manifests["b"] | it is also in manifests["a"]`, `manifests_wo["c"] | it is also in manifests["a"]`)
	checkProblems(t, ValidateManifests(
		Given{Attribute: "manifests", Texts: map[string]string{"a": plain}}, Given{Attribute: "manifests_wo", Texts: map[string]string{"a": named("b")}},
	), `manifests_wo["a"] | the same key is in manifests`)
}

func TestValidateSelectors(t *testing.T) {
	for name, c := range map[string]struct {
		selector placement.ResourceSelector
		want     string
	}{
		"a namespace":          {placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "web"}, ""},
		"a custom kind":        {placement.ResourceSelector{Group: "example.org", Version: "v1", Kind: "Samples"}, ""},
		"lower case":           {placement.ResourceSelector{Version: "v1", Kind: "namespace"}, `s[0].kind | did you mean Namespace?`},
		"a plural":             {placement.ResourceSelector{Version: "v1", Kind: "Namespaces"}, `s[0].kind | did you mean Namespace?`},
		"lower case, unknown":  {placement.ResourceSelector{Group: "example.org", Version: "v1", Kind: "sample"}, `s[0].kind | begin with a capital letter`},
		"the group core":       {placement.ResourceSelector{Group: "core", Version: "v1", Kind: "Namespace"}, `s[0].group | the core group is ""`},
		"an apiVersion":        {placement.ResourceSelector{Version: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"}, `s[0].version | set group to "rbac.authorization.k8s.io" and version to "v1"`},
		"a reserved namespace": {placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "kube-system"}, `s[0].name | the namespace kube-system is reserved`},
		"Pods":                 {placement.ResourceSelector{Version: "v1", Kind: "Pod"}, `s[0].kind | a Pod is never placed, because the workloads of each cluster create their Pods`},
		"Nodes":                {placement.ResourceSelector{Version: "v1", Kind: "Node"}, `s[0].kind | a Node is never placed, because Nodes belong to one cluster`},
		"placements":           {placement.ResourceSelector{Group: "placement.kubernetes-fleet.io", Version: "v1", Kind: "ClusterResourcePlacement"}, `s[0].kind | a ClusterResourcePlacement is never placed, because the placement API works on the hub`},
		"a scope":              {placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "web", SelectionScope: placement.NamespaceOnly}, ""},
		"a scope of a role":    {placement.ResourceSelector{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", SelectionScope: placement.NamespaceOnly}, `s[0].selection_scope | has no effect on a ClusterRole`},
		"Deployments":          {placement.ResourceSelector{Group: "apps", Version: "v1", Kind: "Deployment"}, `s[0].kind | a Deployment is namespaced`},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			if c.want != "" {
				want = append(want, c.want)
			}
			checkProblems(t, ValidateSelectors(placement.At("s"), []placement.ResourceSelector{c.selector}), want...)
		})
	}
	web := placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "web"}
	checkProblems(t, ValidateSelectors(placement.At("s"), []placement.ResourceSelector{web, web}), "s[1] | the same as selector 0")
	opened := web
	opened.SelectionScope = placement.NamespaceWithResourceSelectors
	checkProblems(t, ValidateSelectors(placement.At("s"), []placement.ResourceSelector{opened, {Group: "apps", Version: "v1", Kind: "Deployment"}}))
	for kind, want := range map[string][]string{
		"Deployment": {"s[0].selection_scope | has no effect on a Deployment"}, "Pod": {"s[0].kind | a Pod is never placed", "s[0].selection_scope | has no effect on a Pod"},
	} {
		selector := placement.ResourceSelector{Version: "v1", Kind: kind, SelectionScope: placement.NamespaceWithResources}
		if kind == "Deployment" {
			selector.Group = "apps"
		}
		checkProblems(t, ValidateSelectorsIn(placement.At("s"), []placement.ResourceSelector{selector}), want...)
	}
}
