package kubeadmiral_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	onEvery    = `conflict-resolution: adopt, clusters-to-adopt: '{"regexp":".*"}'`
	onSome     = `conflict-resolution: adopt, clusters-to-adopt: '{"clusters":["member-1"]}'`
	preferring = `affinity: '{"clusterAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":20,"preference":{"matchExpressions":` +
		`[{"key":"tier","operator":"In","values":["a"]}]}}]}}'`
)

// prefixed adds the prefix to the keys of annotations.
var prefixed = strings.NewReplacer("conflict-resolution: ", "kubeadmiral.io/conflict-resolution: ", "clusters-to-adopt: ", "kubeadmiral.io/clusters-to-adopt: ",
	"orphan: ", "kubeadmiral.io/orphan: ", "affinity: ", "kubeadmiral.io/affinity: ")

// labelled returns the manifest of a ConfigMap with the label of the policy and with annotations.
func labelled(namespace, name, annotations string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s, labels: {kubeadmiral.io/cluster-propagation-policy-name: $ns}, annotations: {%s}}}",
		name, namespace, prefixed.Replace(annotations))
}

// loose returns a FederatedObject without a policy. A real control plane creates one for every object; the fake one does not.
func loose(namespace string) string {
	const object = `{apiVersion: v1, kind: ConfigMap, metadata: {name: loose, namespace: %}}`
	if onRealHost {
		return strings.ReplaceAll(object, "%", namespace)
	}
	return strings.ReplaceAll(object+`
---
{apiVersion: core.kubeadmiral.io/v1alpha1, kind: FederatedObject, metadata: {name: loose-configmaps, namespace: %},
  spec: {template: {apiVersion: v1, kind: ConfigMap, metadata: {name: loose, namespace: %}}}}`, "%", namespace)
}

// putFederated creates objects on the host, and waits until the control plane has observed them.
func putFederated(w *enginetest.World, text string) {
	w.Helper()
	w.Put(w.Env.Hub, text)
	for _, u := range w.Objects(text) {
		object := ""
		switch u.GetKind() {
		case "ConfigMap":
			object = "FederatedObject " + u.GetNamespace() + "/" + convert.FederatedName(u.GetName(), "configmaps")
		case "ClusterRole":
			object = "ClusterFederatedObject " + convert.FederatedName(u.GetName(), "clusterroles.rbac.authorization.k8s.io")
		default:
			continue
		}
		w.Eventually(object+" is there", func() bool { return w.Find(w.Env.Hub, "core.kubeadmiral.io/v1alpha1 "+object) != nil })
	}
}

// importedBriefly lists the cases of TestImported that make test runs: at least one for each part of a placement.
var importedBriefly = []string{
	"all on every cluster", "every cluster, and some", "an annotation that is no JSON", "some stays", "a preference", "parts of two namespaces",
	"manifests and what was selected",
}

// TestImported checks which configuration an import reads, and that the import reports what the host does not store or a placement cannot express.
func TestImported(t *testing.T) {
	t.Parallel()
	whole := []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "$ns"}}
	pickFirst := &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	takes := func(mode placement.WhenToTakeOver) *placement.Strategy {
		return &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: mode}}
	}
	abandons := &placement.Strategy{
		ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever}, DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects},
	}
	pickOne := &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}
	prefers := &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1)), Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Preferred: []placement.PreferredClusterSelector{{Weight: 20, Preference: placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "a"},
		}}}},
	}}}
	named := func(names ...string) []placement.ResourceSelector {
		out := []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "$ns", SelectionScope: placement.NamespaceWithResourceSelectors}}
		for _, name := range names {
			out = append(out, placement.ResourceSelector{Version: "v1", Kind: "ConfigMap", Name: name})
		}
		return out
	}
	for name, c := range map[string]struct {
		// a and b are the annotations of two objects, more are further objects, and made are the names of the objects that the provider created.
		a, b, more string
		made       []string
		policy     *placement.Policy
		want       placement.Spec
		warns      string
	}{
		"all on every cluster":        {a: onEvery, b: onEvery, want: placement.Spec{ResourceSelectors: whole}},
		"some clusters, and none":     {a: onSome, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverIfNoDiff)}, warns: "on no cluster: ConfigMap $ns/b."},
		"none":                        {want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)}},
		"every cluster, and some":     {a: onEvery, b: onSome, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverIfNoDiff)}, warns: "every cluster: ConfigMap"},
		"every cluster, and none":     {a: onEvery, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)}, warns: "every cluster: ConfigMap"},
		"the first annotation alone":  {a: `conflict-resolution: adopt`, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)}},
		"the second annotation alone": {a: `clusters-to-adopt: '{"regexp":".*"}'`, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)}},
		"an annotation that is no JSON": {
			a: `conflict-resolution: adopt, clusters-to-adopt: 'member-1'`, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)},
		},
		"an expression for some": {
			a: `conflict-resolution: adopt, clusters-to-adopt: '{"regexp":"^member-1$"}'`, b: onSome,
			want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverIfNoDiff)},
		},
		"everything stays": {a: `orphan: 'all'`, b: `orphan: 'all'`, want: placement.Spec{ResourceSelectors: whole, Strategy: abandons}},
		"some stays":       {a: `orphan: 'all'`, b: `orphan: 'adopted'`, want: placement.Spec{ResourceSelectors: whole, Strategy: abandons}, warns: "these do not: ConfigMap"},
		"named clusters":   {policy: pickFirst, want: placement.Spec{ResourceSelectors: whole, Policy: pickFirst, Strategy: takes(placement.TakeOverNever)}},
		"a preference":     {a: preferring, b: preferring, policy: pickOne, want: placement.Spec{ResourceSelectors: whole, Policy: prefers, Strategy: takes(placement.TakeOverNever)}},
		"a preference of a policy that picks all": {
			a: preferring, b: preferring, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)},
		},
		"a preference beside named clusters": {
			a: preferring, b: preferring, policy: pickFirst, want: placement.Spec{ResourceSelectors: whole, Policy: pickFirst, Strategy: takes(placement.TakeOverNever)},
			warns: "restrict the named clusters",
		},
		"different preferences": {
			a: preferring, policy: pickOne, want: placement.Spec{ResourceSelectors: whole, Policy: pickOne, Strategy: takes(placement.TakeOverNever)}, warns: "prefer different clusters",
		},
		"a part of a namespace": {
			more: loose("$ns"), want: placement.Spec{ResourceSelectors: named("a", "b"), Strategy: takes(placement.TakeOverNever)},
		},
		"two namespaces": {
			more: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-2}}\n---\n" + labelled("$ns-2", "c", ""),
			want: placement.Spec{
				ResourceSelectors: append(slices.Clone(whole), placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "$ns-2"}), Strategy: takes(placement.TakeOverNever),
			},
		},
		"parts of two namespaces": {
			more: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-2}}\n---\n" + labelled("$ns-2", "c", "") + "\n---\n" + loose("$ns-2"),
			want: placement.Spec{
				ResourceSelectors: append(slices.Clone(whole), placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: "$ns-2"}), Strategy: takes(placement.TakeOverNever),
			},
			warns: "Some objects of the Namespace $ns-2 are not placed: ConfigMap $ns-2/loose",
		},
		"what is in no namespace": {
			more: "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns, labels: {kubeadmiral.io/cluster-propagation-policy-name: $ns}}, rules: []}",
			want: placement.Spec{
				ResourceSelectors: append(slices.Clone(whole), placement.ResourceSelector{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "$ns"}),
				Strategy:          takes(placement.TakeOverNever),
			},
		},
		"manifests": {made: []string{"a", "b"}, want: placement.Spec{Strategy: takes(placement.TakeOverNever)}, warns: "from manifests"},
		"manifests and what was selected": {
			made: []string{"a"}, want: placement.Spec{ResourceSelectors: whole, Strategy: takes(placement.TakeOverNever)}, warns: "from manifests, which the host cluster does not store: ConfigMap $ns/a.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !slices.Contains(importedBriefly, name) {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, policyOf(w, c.policy, c.made))
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			putFederated(w, labelled("$ns", "a", c.a)+"\n---\n"+labelled("$ns", "b", c.b))
			if c.more != "" {
				putFederated(w, c.more)
			}
			var want placement.Spec
			text, _ := json.Marshal(c.want)
			if err := json.Unmarshal([]byte(w.Expand(string(text))), &want); err != nil {
				t.Fatal(err)
			}
			read, err := enginetest.Request{Name: w.Name}.Read(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, read.Spec); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(read.Warning+".", w.Expand(c.warns)) || c.warns == "" && read.Warning != "" {
				t.Errorf("it warns %q, want %q", read.Warning, w.Expand(c.warns))
			}
		})
	}
}

// policyOf returns a policy with a record of ConfigMaps that the provider created.
func policyOf(w *enginetest.World, policy *placement.Policy, made []string) string {
	w.Helper()
	record := host.Made{}
	for _, name := range made {
		for _, u := range w.Objects(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}}", name)) {
			id := objectOf(u)
			record[id.Key()] = id
		}
	}
	object, err := host.PolicyObject(engine.Reference{Name: w.Name}, convert.Policy(policy), record)
	if err != nil {
		w.Fatal(err)
	}
	text, err := object.MarshalJSON()
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// A namespaced placement is imported with the names of its objects.
func TestImportedNamespaced(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	putFederated(w, `{apiVersion: core.kubeadmiral.io/v1alpha1, kind: PropagationPolicy, metadata: {name: it, namespace: $ns}, spec: {schedulingMode: Divide}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns, labels: {kubeadmiral.io/propagation-policy-name: it}}}
---
`+loose("$ns"))
	read, err := w.Engine().ReadPlacement(w.Context(), engine.Placement{Reference: engine.Reference{Namespace: w.Name, Name: "it"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "a"}}, read.Spec.ResourceSelectors); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(read.Warning, "Applies keep them unchanged: disableFollowerScheduling, reschedulePolicy, schedulingMode") {
		t.Errorf("it does not report that replicas are divided: %q", read.Warning)
	}
}

// TestWriteOnlyObjects checks that a read returns the names of the objects from write-only manifests, even after one of them has moved to manifests that are
// in the state.
func TestWriteOnlyObjects(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const stored = "{apiVersion: v1, kind: ConfigMap, metadata: {name: stored, namespace: $ns}}"
	const first, second = "{apiVersion: v1, kind: Secret, metadata: {name: first, namespace: $ns}}", "{apiVersion: v1, kind: Secret, metadata: {name: second, namespace: $ns}}"
	request := w.Placing("$ns", stored)
	request.WriteOnly = map[string]string{"first.yaml": w.Expand(first), "second.yaml": w.Expand(second)}
	w.DeleteAtEnd(request)
	names := func() string {
		t.Helper()
		read, err := enginetest.Request{Name: request.Name, Manifests: request.Manifests}.Read(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, id := range read.WriteOnlyObjects {
			out = append(out, id.Kind+" "+id.Name)
		}
		return strings.Join(out, ", ")
	}
	request = request.After(applied(t, w, request).Status)
	if got := names(); got != "Secret first, Secret second" {
		t.Errorf("after the first apply: %s", got)
	}
	request = request.With(w.Manifests(stored, first))
	request.WriteOnly = map[string]string{"second.yaml": w.Expand(second)}
	applied(t, w, request)
	if got := names(); got != "Secret second" {
		t.Errorf("after the second apply: %s", got)
	}
}

// TestFormerWriteOnlyValues checks that a preview does not show the value that an object has from write-only manifests after its manifest has moved to manifests
// that are in the state. The first apply after the move updates the members. After the second apply, previews show the values of the object.
func TestFormerWriteOnlyValues(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	key := func(value string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: key, namespace: $ns}, data: {value: " + value + "}}"
	}
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: stored, namespace: $ns}}")
	stored := request.Manifests
	request.WriteOnly = map[string]string{"key.yaml": w.Expand(key("planted-1"))}
	w.DeleteAtEnd(request)
	request = request.After(applied(t, w, request).Status)

	move := func(value string) enginetest.Request {
		moved := request.With(map[string]string{"key.yaml": w.Expand(key(value))})
		maps.Copy(moved.Manifests, stored)
		moved.WriteOnly = nil
		return moved
	}
	differences := func(r enginetest.Request) string {
		t.Helper()
		preview, err := r.Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range preview.Clusters[0].Objects {
			if o.Name == "key" {
				return fmt.Sprint(o.Action, o.Differences)
			}
		}
		return "no object"
	}
	if got := differences(move("planted-2")); strings.Contains(got, "planted") || !strings.Contains(got, diff.Redacted) {
		t.Errorf("the preview shows %s", got)
	}
	request = request.After(applied(t, w, move("planted-2")).Status)
	if got := differences(move("planted-2")); strings.Contains(got, "planted") {
		t.Errorf("after the move, the preview shows %s", got)
	}
	request = request.After(applied(t, w, move("planted-2")).Status)
	if got := differences(move("planted-3")); !strings.Contains(got, "planted-2") || !strings.Contains(got, "planted-3") {
		t.Errorf("after another apply, the preview does not show the values: %s", got)
	}
}

// TestImportedManifests checks that, after an import, the manifests of the configuration continue to manage the objects that were created from them. Nothing
// is deleted or recreated, whether the manifests are in the state or write-only.
func TestImportedManifests(t *testing.T) {
	t.Parallel()
	for name, writeOnly := range map[string]bool{"manifests": false, "write-only": true} {
		t.Run(name, func(t *testing.T) {
			if writeOnly && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, settings)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			request := w.Placing("$ns", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-new}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-new}}")
			if writeOnly {
				request.WriteOnly, request.Manifests = request.Manifests, nil
			} else {
				request.Spec.ResourceSelectors = slices.Concat(selecting(w).Spec.ResourceSelectors, []placement.ResourceSelector{
					{Version: "v1", Kind: "Namespace", Name: w.Expand("$ns-new")},
				})
			}
			applied(t, w, request)
			before := w.Must(w.Members[0], "v1 ConfigMap $ns-new/it")
			read, err := enginetest.Request{Name: request.Name}.Read(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			w.Contains(read.Warning, w.Expand("ConfigMap $ns-new/it"), w.Expand("Namespace $ns-new"))
			if diff := cmp.Diff(request.Spec.ResourceSelectors, read.Spec.ResourceSelectors); diff != "" {
				t.Error(diff)
			}
			refreshed, err := enginetest.Request{Name: request.Name, Spec: read.Spec}.After(read.Status).Read(w.Context(), w.Engine())
			if err != nil || refreshed.Warning != "" || cmp.Diff(read.Spec, refreshed.Spec) != "" {
				t.Errorf("a refresh after it: %+v %v", refreshed, err)
			}
			again := request.After(read.Status)
			preview, err := again.Preview(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			for what, action := range actions(preview) {
				if action != takeover.ActionNone {
					t.Errorf("%s: %s", what, action)
				}
			}
			result := applied(t, w, again)
			if now := w.Must(w.Members[0], "v1 ConfigMap $ns-new/it"); now.GetUID() != before.GetUID() {
				t.Error("it was recreated")
			}
			w.Delete(request.After(result.Status))
			if w.Find(w.Members[0], "v1 ConfigMap $ns-new/it") != nil {
				t.Error("it is still there")
			}
		})
	}
}
