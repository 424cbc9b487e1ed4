package protocol

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// testPlacement is one placement that is planned, changed by other clients, and applied.
type testPlacement struct {
	*Workspace
	t *testing.T
	// name is the name of the placement and the prefix of its objects' names.
	name, provider string
}

func newTestPlacement(t *testing.T, name string) testPlacement {
	t.Helper()
	return testPlacement{Workspace: New(), t: t, name: name, provider: withoutHub(t)}
}

// configuration places ConfigMaps on clusters. Their names begin with the placement's.
func (a testPlacement) configuration(color, clusters string, names ...string) string {
	var manifests strings.Builder
	for _, name := range names {
		fmt.Fprintf(&manifests, "    %s = \"{apiVersion: v1, kind: ConfigMap, metadata: {name: %s-%s, namespace: default}, data: {color: %s}}\"\n",
			name, a.name, name, color)
	}
	return fmt.Sprintf("%sresource \"fleet_crp\" \"p\" {\n  name = %q\n  manifests = {\n%s  }\n"+
		"  policy = { placement_type = \"PickFixed\", cluster_names = [%s] }\n}\n", a.provider, a.name, manifests.String(), clusters)
}

// withDeployment places a ConfigMap "one" and a Deployment with the placement's name on member-1. fields are fields of its spec.
func (a testPlacement) withDeployment(color, fields, image string) string {
	deployment := fmt.Sprintf(`    deployment = <<-EOT
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: %[1]s, namespace: default}
      spec: {%[2]s, selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: {containers: [{name: a, image: "%[3]s"}]}}}
    EOT
`, a.name, fields, image)
	return strings.Replace(a.configuration(color, `"member-1"`, "one"), "manifests = {\n", "wait = { until = \"Applied\" }\n  manifests = {\n"+deployment, 1)
}

const onTwo = `"member-1", "member-2"`

// change changes an object as another client.
func (a testPlacement) change(cluster, object, color string) {
	a.t.Helper()
	a.patch(cluster, object, `{"data":{"color":"`+color+`"}}`)
}

func (a testPlacement) patch(cluster, object, patch string) {
	a.t.Helper()
	if err := fleet.On(a.t, cluster).Patch(a.t.Context(), "v1", "ConfigMap", "default", a.name+"-"+object, patch); err != nil {
		a.t.Fatal(err)
	}
}

// put creates an object as another client.
func (a testPlacement) put(cluster, object, color string) {
	a.t.Helper()
	fleet.Put(a.t, cluster, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s-%s, namespace: default}\ndata: {color: %s}\n", a.name, object, color))
}

// checkColor checks the color of an object on a cluster. An empty color is for an object that does not exist.
func (a testPlacement) checkColor(cluster, object, want string) {
	a.t.Helper()
	a.checkKey(cluster, object, "color", want)
}

// checkKey checks the value of a key. An empty value is for a key or an object that does not exist.
func (a testPlacement) checkKey(cluster, object, key, want string) {
	a.t.Helper()
	live, err := fleet.On(a.t, cluster).Get(a.t.Context(), "v1", "ConfigMap", "default", a.name+"-"+object)
	if err != nil {
		a.t.Fatal(err)
	}
	got := ""
	if live != nil {
		got, _, _ = unstructured.NestedString(live.Object, "data", key)
	}
	if got != want {
		a.t.Errorf("%s on %s has %s %q, want %q", object, cluster, key, got, want)
	}
}

func (a testPlacement) checkMentions(got Result, want ...string) {
	a.t.Helper()
	for _, text := range want {
		if !strings.Contains(got.String(), text) {
			a.t.Errorf("missing %q in:\n%s", text, got)
		}
	}
}

// TestAppearedBetweenPlanAndApply checks that an apply does not take over an object that its plan did not show, even with when_to_take_over Always, the
// default.
func TestAppearedBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-appeared")
	saved := a.Save(t.Context(), a.configuration("blue", onTwo, "one", "two"))
	a.put("member-2", "two", "theirs")
	got := saved.Apply(t.Context())
	a.checkMentions(done(t, got), "changed since the plan", a.name+"-two on member-2", "the plan did not show the takeover")
	a.checkColor("member-1", "two", "blue")
	a.checkColor("member-2", "one", "blue")
	a.checkColor("member-2", "two", "theirs")

	// The next plan shows the takeover, and its apply takes over.
	again := a.Save(t.Context(), a.configuration("blue", onTwo, "one", "two"))
	a.checkMentions(again.Result, "1 to take over on member-2")
	done(t, again.Apply(t.Context()))
	a.checkColor("member-2", "two", "blue")
}

// TestTakeoverOfWhatWasShown checks that an apply takes over an object only if the object has not changed since the plan.
func TestTakeoverOfWhatWasShown(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-shown")
	a.put("member-1", "one", "theirs")
	a.put("member-2", "one", "theirs")
	saved := a.Save(t.Context(), a.configuration("blue", onTwo, "one"))
	a.change("member-2", "one", "changed")
	a.checkMentions(done(t, saved.Apply(t.Context())), "changed since the plan")
	a.checkColor("member-1", "one", "blue")
	a.checkColor("member-2", "one", "changed")
}

// TestUpdateOfWhatWasShown checks that an apply changes the placement's own objects only as its plan showed: it does not revert a change that another client
// has made since the plan, and it overwrites another client's value only if the plan showed that value.
func TestUpdateOfWhatWasShown(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-update")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one", "two")))
	a.change("member-1", "one", "theirs")
	saved := a.Save(t.Context(), a.configuration("blue", onTwo, "one", "two"))
	a.change("member-2", "two", "theirs")
	got := saved.Apply(t.Context())
	a.checkMentions(got, "changed since the plan", a.name+"-two on member-2: ChangedSincePlan")
	a.checkColor("member-1", "one", "blue")
	a.checkColor("member-2", "two", "theirs")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one", "two")))
	a.checkColor("member-2", "two", "blue")

	a.change("member-1", "one", "theirs")
	saved = a.Save(t.Context(), a.configuration("green", onTwo, "one", "two"))
	a.change("member-1", "one", "later")
	a.change("member-2", "two", "hotfix") // the plan showed the placement's own value
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", a.name+"-one on member-1", a.name+"-two on member-2", "others have set other values")
	for color, at := range map[string][2]string{"later": {"member-1", "one"}, "green": {"member-1", "two"}, "hotfix": {"member-2", "two"}} {
		a.checkColor(at[0], at[1], color)
	}
	done(t, a.Apply(t.Context(), a.configuration("green", onTwo, "one", "two")))
	a.checkColor("member-2", "two", "green")
}

// TestCreatedAgain checks that a plan distinguishes an object that was deleted from a new object.
func TestCreatedAgain(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-again")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one")))
	if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "ConfigMap", "default", "agreed-again-one"); err != nil {
		t.Fatal(err)
	}
	plan := done(t, a.Plan(t.Context(), a.configuration("blue", onTwo, "one", "two")))
	a.checkMentions(plan, "create again on member-2 (deleted since): ConfigMap default/agreed-again-one", "create: ConfigMap default/agreed-again-two")
}

// TestAnnotationsOfKubernetes checks annotations whose keys KubeFleet's comparison ignores: a plan shows how an apply changes them, the apply skips an object
// whose annotation has changed since the plan, and later changes by others are drift.
func TestAnnotationsOfKubernetes(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-annotation")
	const target = "nginx.ingress.kubernetes.io/rewrite-target"
	with := func(color, value string) string {
		return strings.ReplaceAll(a.configuration(color, onTwo, "one"), "agreed-annotation-one, namespace", "agreed-annotation-one, annotations: {"+target+": "+value+"}, namespace")
	}
	annotate := func(value string) {
		a.patch("member-1", "one", `{"metadata":{"annotations":{"`+target+`":"`+value+`"}}}`)
	}
	check := func(want string) {
		t.Helper()
		live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", "default", "agreed-annotation-one")
		if err != nil {
			t.Fatal(err)
		}
		if got := live.GetAnnotations()[target]; got != want {
			t.Errorf("the annotation is %q, want %q", got, want)
		}
	}
	const field = `metadata.annotations["nginx.ingress.kubernetes.io/rewrite-target"]: `
	a.put("member-1", "one", "blue")
	annotate("/theirs")
	a.checkMentions(a.Plan(t.Context(), with("blue", "/ours")), "take over", field+`"/theirs" -> "/ours"`)
	done(t, a.Apply(t.Context(), with("blue", "/ours")))
	check("/ours")

	saved := a.Save(t.Context(), with("green", "/new"))
	annotate("/hotfix")
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "agreed-annotation-one on member-1")
	check("/hotfix")
	a.checkMentions(a.Plan(t.Context(), with("green", "/new")), field+`"/hotfix" -> "/new"`, "with values of others to overwrite")
	done(t, a.Apply(t.Context(), with("green", "/new")))
	check("/new")
	annotate("/drifted")
	a.checkMentions(a.Plan(t.Context(), with("green", "/new")), field+`"/drifted" -> "/new"`)
}

// TestRemovalOfWhatWasShown checks that an apply removes a field only if the field still has the value that its plan showed.
func TestRemovalOfWhatWasShown(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-field")
	with := strings.ReplaceAll(a.configuration("blue", onTwo, "one"), "data: {color: blue}", "data: {color: blue, size: small}")
	done(t, a.Apply(t.Context(), with))
	saved := a.Save(t.Context(), a.configuration("blue", onTwo, "one"))
	a.patch("member-1", "one", `{"data":{"size":"large"}}`)
	a.patch("member-2", "one", `{"data":{"other":"theirs"}}`)
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "agreed-field-one on member-1", "others have set other values")
	a.checkKey("member-1", "one", "size", "large")
	a.checkKey("member-2", "one", "size", "")
	a.checkKey("member-2", "one", "other", "theirs")

	a.checkMentions(a.Plan(t.Context(), a.configuration("blue", onTwo, "one")), `data.size: "large" -> absent`, "1 object on member-1 with values of others to overwrite")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one")))
	a.checkKey("member-1", "one", "size", "")

	// The same for a whole map to which another client has added a key since the plan.
	without := strings.ReplaceAll(a.configuration("blue", onTwo, "one"), ", data: {color: blue}", "")
	saved = a.Save(t.Context(), without)
	a.patch("member-1", "one", `{"data":{"other":"theirs"}}`)
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "agreed-field-one on member-1")
	a.checkKey("member-1", "one", "other", "theirs")
	a.checkKey("member-2", "one", "color", "")
}

// TestRemovalAfterServerSideApply checks that a client-side apply removes the keys that a server-side apply has placed in a map, and keeps the keys of others.
func TestRemovalAfterServerSideApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-server")
	with := a.configuration("blue", onTwo, "one")
	done(t, a.Apply(t.Context(), strings.ReplaceAll(with, "  policy =", serverSide+"  policy =")))
	without := strings.ReplaceAll(with, ", data: {color: blue}", "")
	saved := a.Save(t.Context(), without)
	a.checkMentions(saved.Result, `data: {"color":"blue"} -> absent`)
	a.patch("member-1", "one", `{"data":{"other":"theirs"}}`)
	done(t, saved.Apply(t.Context()))
	a.checkKey("member-1", "one", "other", "theirs")
	a.checkKey("member-1", "one", "color", "")
	a.checkKey("member-2", "one", "color", "")
}

const serverSide = "  strategy = { apply_strategy = { type = \"ServerSideApply\" } }\n"

// TestUnionBetweenPlanAndApply checks that an apply resets the fields of a union, which no manifest contains, only if they have the values that its plan has
// shown.
func TestUnionBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-union")
	configuration := func(image string) string {
		return a.withDeployment("blue", "replicas: 0, strategy: {type: RollingUpdate}", image)
	}
	done(t, a.Apply(t.Context(), configuration("a:1")))
	saved := a.Save(t.Context(), configuration("a:2"))
	workload := fixture.ParseRef("apps/v1 Deployment default/agreed-union")
	if err := fleet.On(t, "member-1").Merge(t.Context(), workload, []byte(`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":5}}}}`), "", false); err != nil {
		t.Fatal(err)
	}
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "default/agreed-union on member-1")
	a.checkMentions(a.Plan(t.Context(), configuration("a:2")), `spec.strategy.rollingUpdate.maxSurge: 5 -> "25%"`)
	done(t, a.Apply(t.Context(), configuration("a:2")))
	unchanged(t, a.Plan(t.Context(), configuration("a:2")))
}

// TestSecretBetweenPlanAndApply checks that an apply overwrites a value of others in a Secret only if it is the value at the time of the plan, although the
// plan shows no value.
func TestSecretBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-secret")
	configuration := strings.NewReplacer("kind: ConfigMap", "kind: Secret", "data: {color:", "stringData: {color:").Replace(a.configuration("blue", `"member-1"`, "one"))
	done(t, a.Apply(t.Context(), configuration))
	secret := fixture.ParseRef("v1 Secret default/agreed-secret-one")
	rotate := func(value string) {
		t.Helper()
		data := base64.StdEncoding.EncodeToString([]byte(value))
		if err := fleet.On(t, "member-1").As("rotation").Merge(t.Context(), secret, []byte(`{"data":{"color":"`+data+`"}}`), "", false); err != nil {
			t.Fatal(err)
		}
	}
	rotate("first")
	saved := a.Save(t.Context(), configuration)
	rotate("second")
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "agreed-secret-one on member-1")
	done(t, a.Apply(t.Context(), configuration))
	unchanged(t, a.Plan(t.Context(), configuration))
}

// TestScaledBetweenPlanAndApply checks that an autoscaler may scale a workload between plan and apply. If the plan did not show an update of the workload, the
// apply does not write it.
func TestScaledBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-scaled")
	configuration := func(color, image string) string { return a.withDeployment(color, "replicas: 1", image) }
	done(t, a.Apply(t.Context(), configuration("blue", "a:1")))
	workload := fixture.ParseRef("apps/v1 Deployment default/agreed-scaled")
	scale := func(replicas int64) {
		t.Helper()
		autoscaler := fleet.On(t, "member-1").As("kube-controller-manager")
		if err := autoscaler.Merge(t.Context(), workload, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), "scale", false); err != nil {
			t.Fatal(err)
		}
	}
	check := func(replicas int64, image string) {
		t.Helper()
		live, err := fleet.On(t, "member-1").Get(t.Context(), "apps/v1", "Deployment", "default", "agreed-scaled")
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
		containers, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
		if is := containers[0].(map[string]any)["image"]; got != replicas || is != image {
			t.Errorf("%d replicas of %v, want %d of %s", got, is, replicas, image)
		}
	}
	apply := func(saved *SavedPlan) {
		t.Helper()
		if got := done(t, saved.Apply(t.Context())); strings.Contains(got.String(), "changed since the plan") {
			t.Errorf("the apply skipped an object:\n%s", got)
		}
	}
	saved := a.Save(t.Context(), configuration("green", "a:1"))
	scale(3)
	apply(saved)
	a.checkColor("member-1", "one", "green")
	check(3, "a:1")

	saved = a.Save(t.Context(), configuration("green", "a:2"))
	scale(4)
	apply(saved)
	check(1, "a:2")

	// The plan did not show replicas, so the apply keeps the value that an autoscaler has set since. The next plan shows the field.
	saved = a.Save(t.Context(), configuration("green", "a:3"))
	scale(6)
	apply(saved)
	check(6, "a:3")
	a.checkMentions(a.Plan(t.Context(), configuration("green", "a:3")), "spec.replicas: 6 -> 1")
	done(t, a.Apply(t.Context(), configuration("green", "a:2")))
	check(1, "a:2")

	// Only the autoscaler's change is tolerated: another client has also changed an annotation that the plan removes, so the apply skips the workload.
	annotated := strings.ReplaceAll(configuration("green", "a:2"), "name: agreed-scaled, namespace", "name: agreed-scaled, annotations: {note: ours}, namespace")
	done(t, a.Apply(t.Context(), annotated))
	saved = a.Save(t.Context(), configuration("green", "a:2"))
	scale(5)
	if err := fleet.On(t, "member-1").Merge(t.Context(), workload, []byte(`{"metadata":{"annotations":{"note":"theirs"}}}`), "", false); err != nil {
		t.Fatal(err)
	}
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan", "default/agreed-scaled on member-1")
	a.checkMentions(a.Plan(t.Context(), configuration("green", "a:2")), `metadata.annotations.note: "theirs" -> absent`)
}

// TestValuesOfOthers checks that a plan does not report a value as another client's if the placement has placed the same value: after a takeover without
// differences, the other client remains the manager of the fields.
func TestValuesOfOthers(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-values")
	a.put("member-1", "one", "blue")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one")))
	const overwrites = "with values of others to overwrite"
	if plan := done(t, a.Plan(t.Context(), a.configuration("green", onTwo, "one"))); strings.Contains(plan.String(), overwrites) {
		t.Errorf("the placement's own value counts as one of others:\n%s", plan)
	}
	saved := a.Save(t.Context(), a.configuration("green", onTwo, "one"))
	a.change("member-1", "one", "theirs")
	a.checkMentions(a.Plan(t.Context(), a.configuration("green", onTwo, "one")), "1 object on member-1 "+overwrites)
	a.checkMentions(saved.Apply(t.Context()), "changed since the plan")
	a.checkColor("member-1", "one", "theirs")
}

// TestDeletionThatWasNotShown checks that neither an apply nor a destroy deletes objects that another apply has placed since its plan.
func TestDeletionThatWasNotShown(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-deletion")
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one", "two")))
	update, removal := a.Save(t.Context(), a.configuration("green", onTwo, "one", "two")), a.Save(t.Context(), a.provider)
	done(t, a.Apply(t.Context(), a.configuration("blue", onTwo, "one", "two", "three")))

	done(t, update.Apply(t.Context()))
	a.checkColor("member-1", "one", "green")
	a.checkColor("member-1", "three", "blue")

	got := removal.Apply(t.Context())
	if !got.Failed || a.State("fleet_crp.p").IsNull() {
		t.Errorf("the destroy succeeded although an object still exists:\n%s", got)
	}
	a.checkMentions(got, "the plan did not show the deletion", a.name+"-three")
	a.checkColor("member-2", "one", "")
	a.checkColor("member-2", "three", "blue")
	done(t, a.Apply(t.Context(), a.provider))
	a.checkColor("member-2", "three", "")
}

// TestReplacementOfAbandoned checks that a replacement takes over the objects that its removal leaves, although the removal deletes the last applied
// configuration from them.
func TestReplacementOfAbandoned(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-left")
	less := strings.ReplaceAll(a.configuration("blue", onTwo, "one"), "  policy =", "  strategy = { delete_strategy = { propagation_policy = \"Abandon\" } }\n  policy =")
	done(t, a.Apply(t.Context(), strings.ReplaceAll(less, "data: {color: blue}", "data: {color: blue, size: small}")))
	a.Taint("fleet_crp.p")
	saved := a.Save(t.Context(), less)
	if got := done(t, saved.Apply(t.Context())); strings.Contains(got.String(), "since the plan") {
		t.Errorf("the apply skipped an object:\n%s", got)
	}
	unchanged(t, a.Plan(t.Context(), less))
}

// TestTakeoverByServerSideApply checks that the plan of a takeover shows the fields that it removes because a former placement has written them with the same
// field manager.
func TestTakeoverByServerSideApply(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-former")
	less := a.configuration("blue", `"member-1"`, "one")
	sized := strings.ReplaceAll(less, "data: {color: blue}", "data: {color: blue, size: small}")
	done(t, a.Apply(t.Context(), strings.ReplaceAll(sized, "  policy =", "  strategy = { delete_strategy = { propagation_policy = \"Abandon\" } }\n  policy =")))
	done(t, a.Apply(t.Context(), a.provider))
	always := "  strategy = { apply_strategy = { type = \"ServerSideApply\", when_to_take_over = \"Always\" } }\n  policy ="
	saved := a.Save(t.Context(), strings.ReplaceAll(less, "  policy =", always))
	a.checkMentions(saved.Result, `data.size: "small" -> absent`)
	done(t, saved.Apply(t.Context()))
	a.checkKey("member-1", "one", "size", "")
}

// TestReplacementOfTainted checks that the plan of a tainted placement shows what the replacement deletes, and that its apply keeps an object that another
// client has created since the plan.
func TestReplacementOfTainted(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "agreed-tainted")
	configuration := a.configuration("blue", onTwo, "one")
	done(t, a.Apply(t.Context(), configuration))
	a.Taint("fleet_crp.p")
	saved := a.Save(t.Context(), configuration)
	changes(t, saved.Result, "fleet_crp.p", Replace)
	a.checkMentions(saved.Result, "REPLACED", "2 to delete")
	a.put("member-1", "two", "theirs")
	done(t, saved.Apply(t.Context()))
	a.checkColor("member-1", "one", "blue")
	a.checkColor("member-1", "two", "theirs")
}
