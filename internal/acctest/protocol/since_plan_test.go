package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// TestForeignObjectChanges checks that an apply does not take over an object that has changed since the plan in a part that the plan does not show: the end of
// a long value, a value of a Secret, or the owner.
func TestForeignObjectChanges(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for name, c := range map[string]struct{ kind, field, before, patch, after string }{
		"long":   {"ConfigMap", "data", long + "a", `{"data":{"color":"` + long + `b"}}`, long + "b"},
		"secret": {"Secret", "stringData", "theirs", `{"stringData":{"color":"rotated"}}`, "cm90YXRlZA=="},
		"owner": {"ConfigMap", "data", "theirs", `{"metadata":{"labels":{"app.kubernetes.io/managed-by":"Helm"},"annotations":{"meta.helm.sh/release-name":"r",` +
			`"meta.helm.sh/release-namespace":"default"}}}`, "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newTestPlacement(t, "changes-"+name)
			object := a.name + "-one"
			manifest := func(value string) string {
				return fmt.Sprintf("{apiVersion: v1, kind: %s, metadata: {name: %s, namespace: default}, %s: {color: %s}}", c.kind, object, c.field, value)
			}
			fleet.Put(t, "member-1", manifest(c.before))
			saved := a.Save(t.Context(), a.provider+fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  manifests = { one = %q }\n"+
				"  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", a.name, manifest("ours")))
			if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", c.kind, "default", object, c.patch); err != nil {
				t.Fatal(err)
			}
			a.checkMentions(done(t, saved.Apply(t.Context())), "the object has changed or been replaced since the plan was made")
			live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", c.kind, "default", object)
			if err != nil {
				t.Fatal(err)
			}
			if got := live.Object["data"].(map[string]any)["color"]; got != c.after { //nolint:forcetypeassert // it has one
				t.Errorf("the apply overwrote %s with %v", c.after, got)
			}
			done(t, a.Apply(t.Context(), a.provider))
		})
	}
}

// TestHubChangesSincePlan checks that an apply writes only the value that the plan shows, both to its own object and to one that it takes over.
func TestHubChangesSincePlan(t *testing.T) {
	t.Parallel()
	for name, owns := range map[string]bool{"own": true, "foreign": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newTestPlacement(t, "hub-changes-"+name)
			a.provider = configured(t, "")
			fleet.Clear(t, a.name)
			put := func(cluster, color string) {
				fleet.Put(t, cluster, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", a.name))
				fleet.Put(t, cluster, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: %s}, data: {color: %s}}", a.name, color))
			}
			selecting := a.provider + fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  resource_selectors = [{ group = \"\", version = \"v1\", "+
				"kind = \"Namespace\", name = %q }]\n  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", a.name, a.name)
			put("hub", "red")
			if owns {
				done(t, a.Apply(t.Context(), selecting))
			} else {
				put("member-1", "red-of-theirs")
			}
			patches(t, a.name, "one", "hub", `{"data":{"color":"blue"}}`)()
			saved := a.Save(t.Context(), selecting)
			patches(t, a.name, "one", "hub", `{"data":{"color":"green"}}`)()
			a.checkMentions(done(t, saved.Apply(t.Context())), "changed since the plan")
			live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", a.name, "one")
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(live.Object["data"]); strings.Contains(got, "green") {
				t.Errorf("the plan shows blue, but the apply wrote %s", got)
			}
			done(t, a.Apply(t.Context(), a.provider))
		})
	}
}

// TestHubRemovalSincePlan checks that an apply keeps an object on a member if the object was deleted from the hub only after the plan. The next apply deletes
// it.
func TestHubRemovalSincePlan(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "hub-removal")
	a.provider = configured(t, "")
	fleet.Clear(t, a.name)
	fleet.Put(t, "hub", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", a.name))
	for _, name := range []string{"stays", "goes"} {
		fleet.Put(t, "hub", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}, data: {color: red}}", name, a.name))
	}
	selecting := a.provider + fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  resource_selectors = [{ group = \"\", version = \"v1\", "+
		"kind = \"Namespace\", name = %q }]\n  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", a.name, a.name)
	done(t, a.Apply(t.Context(), selecting))
	patches(t, a.name, "stays", "hub", `{"data":{"color":"blue"}}`)()
	saved := a.Save(t.Context(), selecting)
	if err := fleet.On(t, "hub").Delete(t.Context(), "v1", "ConfigMap", a.name, "goes"); err != nil {
		t.Fatal(err)
	}
	colors := func() (out []string) {
		for _, name := range []string{"stays", "goes"} {
			live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", a.name, name)
			if err != nil {
				t.Fatal(err)
			}
			if live != nil {
				out = append(out, name+fmt.Sprint(live.Object["data"]))
			}
		}
		return out
	}
	a.checkMentions(done(t, saved.Apply(t.Context())), "ConfigMap "+a.name+"/goes stays on the cluster: the plan did not show the deletion")
	if got := strings.Join(colors(), " "); got != "staysmap[color:blue] goesmap[color:red]" {
		t.Errorf("on the member: %s", got)
	}
	again := a.Save(t.Context(), selecting)
	a.checkMentions(again.Result, "1 to delete", a.name+"/goes")
	done(t, again.Apply(t.Context()))
	if got := strings.Join(colors(), " "); got != "staysmap[color:blue]" {
		t.Errorf("on the member after the next apply: %s", got)
	}
	done(t, a.Apply(t.Context(), a.provider))
}

// TestHubReturnsSincePlan checks that an apply whose plan did not reach the hub creates objects and takes none over. The next plan shows the takeover.
func TestHubReturnsSincePlan(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	a := newTestPlacement(t, "hub-returns")
	recorder := fleet.Record(t)
	a.provider = fleet.Provider(recorder.Kubeconfig())
	fleet.Clear(t, a.name)
	put := func(cluster, object, color string) {
		fleet.Put(t, cluster, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", a.name))
		fleet.Put(t, cluster, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}, data: {color: %s}}", object, a.name, color))
	}
	put("hub", "one", "ours")
	put("member-1", "one", "theirs")
	selecting := a.provider + fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  resource_selectors = [{ group = \"\", version = \"v1\", "+
		"kind = \"Namespace\", name = %q }]\n  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\", \"member-2\"] }\n}\n", a.name, a.name)
	undo := recorder.Inject(clusters.Fault{Context: fleet.Env.Hub, Refuse: true})
	saved := a.Save(t.Context(), selecting)
	undo()
	a.checkMentions(done(t, saved.Result), "hub")
	colors := func() (out string) {
		for _, member := range []string{"member-1", "member-2"} {
			live, err := fleet.On(t, member).Get(t.Context(), "v1", "ConfigMap", a.name, "one")
			if err != nil {
				t.Fatal(err)
			}
			if live != nil {
				out += fmt.Sprint(member, live.Object["data"])
			}
		}
		return out
	}
	a.checkMentions(done(t, saved.Apply(t.Context())), "the plan did not check the cluster, so it did not show the takeover", "one on member-1")
	if got := colors(); got != "member-1map[color:theirs]member-2map[color:ours]" {
		t.Errorf("on the members: %s", got)
	}
	again := a.Save(t.Context(), selecting)
	a.checkMentions(again.Result, "take over")
	done(t, again.Apply(t.Context()))
	if got := colors(); got != "member-1map[color:ours]member-2map[color:ours]" {
		t.Errorf("on the members after the next apply: %s", got)
	}
	done(t, a.Apply(t.Context(), a.provider))
}

// TestContentsChange checks that a destroy does not delete a Namespace with an object that its plan does not show: one whose owner is not in the Namespace, and
// one that was recreated.
func TestContentsChange(t *testing.T) {
	t.Parallel()
	for name, replaced := range map[string]bool{"owned": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newTestPlacement(t, "contents-"+name)
			done(t, a.Apply(t.Context(), a.provider+fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  manifests = { n = \"{apiVersion: v1, kind: Namespace, "+
				"metadata: {name: %s}}\" }\n  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n"+
				"  strategy = { delete_strategy = { contents = \"Delete\" } }\n}\n", a.name, a.name)))
			visitor := func(more string) {
				fleet.Put(t, "member-1", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: visitor, namespace: %s%s}}", a.name, more))
			}
			if replaced {
				visitor("")
			}
			saved := a.Save(t.Context(), a.provider)
			owner := ""
			if replaced {
				if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "ConfigMap", a.name, "visitor"); err != nil {
					t.Fatal(err)
				}
			} else {
				fleet.Put(t, "member-1", fmt.Sprintf("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s}}", a.name))
				role, err := fleet.On(t, "member-1").Get(t.Context(), "rbac.authorization.k8s.io/v1", "ClusterRole", "", a.name)
				if err != nil {
					t.Fatal(err)
				}
				owner = fmt.Sprintf(", ownerReferences: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, name: %s, uid: %s}]", a.name, role.GetUID())
			}
			visitor(owner)
			got := saved.Apply(t.Context())
			if a.checkMentions(got, "the objects that the deletion would also delete have changed since the plan was made"); !got.Failed {
				t.Error("the destroy succeeded")
			}
			live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "Namespace", "", a.name)
			if err != nil || live.GetDeletionTimestamp() != nil {
				t.Errorf("the Namespace was deleted: %v, %v", live, err)
			}
			done(t, a.Apply(t.Context(), a.provider))
		})
	}
}

// TestForeignContents checks that an apply and a destroy keep a Namespace with objects of other clients, as their plans show, and succeed.
func TestForeignContents(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "foreign-contents")
	fleet.Clear(t, a.name)
	placed := func(clusters string) string {
		return a.provider + fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  manifests = { n = \"{apiVersion: v1, kind: Namespace, "+
			"metadata: {name: %s}}\" }\n  policy = { placement_type = \"PickFixed\", cluster_names = [%s] }\n}\n", a.name, a.name, clusters)
	}
	done(t, a.Apply(t.Context(), placed(onTwo)))
	for _, cluster := range []string{"member-1", "member-2"} {
		fleet.RemoveAtEnd(t, cluster, "v1", "Namespace", "", a.name)
		fleet.Put(t, cluster, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: visitor, namespace: %s}}", a.name))
	}
	kept := fmt.Sprintf("its deletion would also delete ConfigMap %s/visitor", a.name)

	a.checkMentions(done(t, a.Apply(t.Context(), placed(`"member-1"`))), kept)
	changes(t, a.Plan(t.Context(), placed(`"member-1"`)), "fleet_crp.p", NoOp)
	a.checkMentions(done(t, a.Apply(t.Context(), a.provider)), kept)
	for _, cluster := range []string{"member-1", "member-2"} {
		live, err := fleet.On(t, cluster).Get(t.Context(), "v1", "Namespace", "", a.name)
		if err != nil || live == nil || live.GetDeletionTimestamp() != nil {
			t.Errorf("%s: the Namespace was deleted: %v, %v", cluster, live, err)
		}
	}
}
