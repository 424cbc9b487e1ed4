package direct_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var applyTypes = []placement.ApplyType{placement.ClientSideApply, placement.ServerSideApply}

// once makes a hook that runs one time, however many requests it meets.
func once(work func()) func(clusters.Request) {
	var done atomic.Bool
	return func(clusters.Request) {
		if done.CompareAndSwap(false, true) {
			work()
		}
	}
}

// An object that appears after the clusters were looked at is never overwritten.
func TestObjectAppears(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		w := newWorld(t)
		name := "appears-" + strings.ToLower(string(how)[:6])
		request := strategy(placing(name, configMap(name, "placed")), how, placement.TakeOverAlways)
		w.deleteAtEnd(request)
		w.Inject(clusters.Fault{
			Match: onPath("member-1", http.MethodPost, "/default/configmaps"), Hook: once(func() { w.put("member-1", configMap(name, "theirs")) }),
		})
		result, err := w.engine().ApplyPlacement(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.value("member-1", name); got != "theirs" {
			t.Errorf("%s: the object of somebody else is %q", how, got)
		}
		if got := w.value("member-2", name); got != "placed" {
			t.Errorf("%s: member-2 has %q", how, got)
		}
		says(t, failures(result.Status, "member-1")[name], "ManifestApplyFailed", "appeared")
		w.delete(after(request, result.Status))
		if w.value("member-1", name) != "theirs" || w.value("member-2", name) != "absent" {
			t.Errorf("%s: after the deletion there is %q and %q", how, w.value("member-1", name), w.value("member-2", name))
		}
	}
}

// What was taken for equal is not taken over when it has changed since; what is taken over in any case is, also when it changes.
func TestObjectChangesDuringTakeover(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		for when, want := range map[placement.WhenToTakeOver]string{placement.TakeOverIfNoDiff: "changed", placement.TakeOverAlways: "placed"} {
			w := newWorld(t)
			name := strings.ToLower("changes-" + string(how)[:6] + "-" + string(when))
			request := strategy(placing(name, configMap(name, "placed")), how, when)
			if how == placement.ServerSideApply {
				request.Spec.Strategy.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
			}
			w.deleteAtEnd(request)
			there := w.put("member-1", configMap(name, "placed"))
			w.Inject(clusters.Fault{
				Match: onPath("member-1", http.MethodPatch, name), Hook: once(func() {
					patch := []byte(`{"data":{"value":"changed"}}`)
					if _, err := w.direct["member-1"].Patch(t.Context(), kube.RefOf(there), types.MergePatchType, patch, kube.WriteOptions{}); err != nil {
						t.Error(err)
					}
				}),
			})
			result, err := w.engine().ApplyPlacement(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.value("member-1", name); got != want {
				t.Errorf("%s %s: the object is %q", how, when, got)
			}
			failure := failures(result.Status, "member-1")[name]
			if when == placement.TakeOverIfNoDiff {
				says(t, failure, "FailedToTakeOver", "differences")
			} else if failure != "" {
				t.Error(failure)
			}
			w.delete(after(request, result.Status))
			if w.value("member-1", name) != want || w.value("member-2", name) != "absent" {
				t.Errorf("%s %s: after the deletion there is %q", how, when, w.value("member-1", name))
			}
		}
	}
}

// Somebody who deletes a placed object and makes it anew, marks included, keeps it.
func TestObjectRecreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := placing("recreated", configMap("recreated-kept", "1"), configMap("recreated-pruned", "1"))
	w.deleteAtEnd(request)
	status := w.apply(request).Status
	for _, name := range []string{"recreated-kept", "recreated-pruned"} {
		old := w.get("member-1", configMapGVK, "default", name)
		w.drop("member-1", old)
		anew := old.DeepCopy()
		stored, err := w.direct["member-1"].Create(t.Context(), anew, kube.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.drop("member-1", stored) })
	}
	request.Manifests = map[string]string{"0.yaml": configMap("recreated-kept", "2")}
	result := w.apply(after(request, status))
	w.complete(result.Status)
	if !w.inventory("member-1", "recreated")["ConfigMap recreated-kept"].Adopted {
		t.Error("an object that somebody else has made counts as created")
	}
	if w.inventory("member-2", "recreated")["ConfigMap recreated-kept"].Adopted {
		t.Error("a created object counts as adopted")
	}
	if w.value("member-1", "recreated-pruned") != "1" || w.value("member-2", "recreated-pruned") != "absent" {
		t.Error("pruning removed the wrong object")
	}
	w.idle(after(request, result.Status))
	w.delete(after(request, result.Status))
	if w.value("member-1", "recreated-kept") != "2" || w.value("member-2", "recreated-kept") != "absent" {
		t.Error("the deletion removed the wrong object")
	}
}

// Two applies of one placement side by side: the second one stops before it has written anything, and says why.
func TestTwoApplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := placing("twice", configMap("twice", "1"))
	w.deleteAtEnd(request)
	var first error
	w.Inject(clusters.Fault{Match: onPath("member-2", http.MethodPost, "fleet-system/configmaps"), Times: 1, Hook: once(func() {
		_, first = w.engine().ApplyPlacement(t.Context(), request)
	})})
	second := request
	second.Manifests = map[string]string{"0.yaml": configMap("twice", "2")}
	_, err := w.engine().ApplyPlacement(t.Context(), second)
	if err == nil && first == nil {
		t.Fatal("both applies succeeded")
	}
	for _, err := range []error{err, first} {
		if err != nil {
			says(t, err.Error(), "another apply of the placement \"twice\"", "Apply again")
		}
	}
	for _, member := range env.Members {
		if inventory := w.inventory(member, "twice"); w.value(member, "twice") != "absent" && len(inventory) != 1 {
			t.Errorf("%s has an object that no inventory knows: %v", member, inventory)
		}
	}
	request.Create = false
	w.complete(w.apply(request).Status)
}

// Another cluster behind a known name is refused before anything is written.
func TestClusterReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := placing("replaced", configMap("replaced", "1"))
	w.deleteAtEnd(request)
	status := w.apply(request).Status
	cluster := status.Clusters["member-1"]
	cluster.ClusterUID = "00000000-0000-0000-0000-000000000000"
	status.Clusters["member-1"] = cluster
	request.Manifests = map[string]string{"0.yaml": configMap("replaced", "2")}
	w.Reset()
	var replaced *engine.ClusterReplacedError
	if _, err := w.engine().ApplyPlacement(t.Context(), after(request, status)); !errors.As(err, &replaced) {
		t.Errorf("apply: %v", err)
	}
	if _, err := w.engine().DeletePlacement(t.Context(), after(request, status)); !errors.As(err, &replaced) {
		t.Errorf("delete: %v", err)
	}
	for _, r := range w.Writes() {
		if r.Context == "member-1" {
			t.Errorf("written to the wrong cluster: %s", r)
		}
	}
}

// A namespace that the placement made is not deleted while something is in it that must stay.
func TestNamespaceWithAdoptedObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	namespace := "{apiVersion: v1, kind: Namespace, metadata: {name: shelter}}"
	adopted := "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: shelter}, data: {value: theirs}}"
	request := placing("shelter", namespace)
	w.deleteAtEnd(request)
	status := w.apply(request).Status
	for _, member := range env.Members {
		u := w.get(member, namespaceGVK, "", "shelter")
		t.Cleanup(func() { w.drop(member, u) })
	}
	theirs := w.put("member-1", adopted)
	request.Manifests["1.yaml"] = strings.Replace(adopted, "value: theirs", "value: placed", 1)
	status = w.apply(after(request, status)).Status
	result := w.delete(after(request, status))
	got := w.get("member-1", configMapGVK, "shelter", "theirs")
	if got == nil || got.GetUID() != theirs.GetUID() || got.GetDeletionTimestamp() != nil {
		t.Errorf("the adopted object is %v", got)
	}
	if u := w.get("member-1", namespaceGVK, "", "shelter"); u == nil || u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] != "" {
		t.Errorf("its namespace is %v", u)
	}
	if w.get("member-2", namespaceGVK, "", "shelter") != nil {
		t.Error("member-2 still has the namespace")
	}
	says(t, strings.Join(result.Warnings, "\n"), "member-1", "Namespace shelter stays", "ConfigMap shelter/theirs")
}

// Objects in a namespace that is being deleted are reported, and placed by the next apply.
func TestTerminatingNamespace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.put("member-1", "{apiVersion: v1, kind: Namespace, metadata: {name: ending}}")
	held := w.put("member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: ending, finalizers: [example.org/held]}}")
	w.drop("member-1", old)
	request := placing("ending", "{apiVersion: v1, kind: Namespace, metadata: {name: ending}}",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: ending}}")
	w.deleteAtEnd(request)
	result, err := w.engine().ApplyPlacement(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	failed := failures(result.Status, "member-1")
	says(t, failed["ending"], "being deleted since", "next apply")
	says(t, failed["inside"], "being terminated")
	if got := failures(result.Status, "member-2"); len(got) > 0 {
		t.Errorf("member-2: %v", got)
	}
	free := []byte(`{"metadata":{"finalizers":null}}`)
	if _, err := w.direct["member-1"].Patch(t.Context(), kube.RefOf(held), types.MergePatchType, free, kube.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.direct["member-1"].WaitGone(t.Context(), kube.RefOf(old), old.GetUID()); err != nil {
		t.Fatal(err)
	}
	result = w.apply(after(request, result.Status))
	w.complete(result.Status)
	for key, e := range w.inventory("member-1", "ending") {
		if e.Adopted {
			t.Errorf("%s counts as adopted", key)
		}
	}
}

// A definition and objects of its kind in one placement, and the deletion of both.
func TestDefinitionWithObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	definition := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.direct.example.org}
spec:
  group: direct.example.org
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
	object := "{apiVersion: direct.example.org/v1, kind: Gadget, metadata: {name: one, namespace: default}}"
	request := placing("gadgets", definition, object, "{apiVersion: direct.example.org/v2, kind: Gadget, metadata: {name: two, namespace: default}}")
	w.deleteAtEnd(request)
	begin := time.Now()
	result, err := w.engine().ApplyPlacement(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("a version that is not served held the apply up for %s", took)
	}
	failed := failures(result.Status, "member-1")
	says(t, failed["two"], "DecodingErred", "v2")
	if len(failed) != 1 {
		t.Errorf("failed: %v", failed)
	}
	delete(request.Manifests, "2.yaml")
	result = w.apply(after(request, result.Status))
	w.complete(result.Status)
	w.idle(after(request, result.Status))
	w.delete(after(request, result.Status))
	for _, member := range env.Members {
		u := parse(t, definition)
		if w.get(member, u.GroupVersionKind(), "", u.GetName()) != nil {
			t.Errorf("%s still has the definition", member)
		}
	}
}

// Nothing of a Secret's content is in an inventory, a preview, a status or an error.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const planted = "planted-secret-value"
	secret := "{apiVersion: v1, kind: Secret, metadata: {name: quiet, namespace: default}, stringData: {password: " + planted + "}}"
	bad := "{apiVersion: v1, kind: Secret, metadata: {name: loud, namespace: default}, stringData: {password: [" + planted + "]}}"
	request := placing("quiet", secret, bad)
	w.deleteAtEnd(request)
	w.put("member-1", strings.Replace(secret, planted, planted+"-theirs", 1))
	preview, err := w.engine().Preview(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	result, err := w.engine().ApplyPlacement(t.Context(), request)
	inventory := w.get("member-1", configMapGVK, "fleet-system", "placement-quiet")
	texts := []any{preview.Clusters, result.Status, err, inventory.Object}
	for _, text := range texts {
		got := jsonOf(t, text)
		if strings.Contains(got, planted) || strings.Contains(got, "cGxhbnRlZC1zZWNyZX") {
			t.Errorf("the secret shows in %s", got)
		}
	}
	if failures(result.Status, "member-1")["loud"] == "" {
		t.Error("the broken Secret was applied")
	}
	delete(request.Manifests, "1.yaml")
	result = w.apply(after(request, result.Status))
	w.delete(after(request, result.Status))
	if w.get("member-2", secretGVK, "fleet-system", "placement-quiet") != nil {
		t.Error("the manifests were left behind")
	}
}

// Manifests that leave a placement leave the members too.
func TestKeptManifests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := strings.Repeat("k", 63)
	request := placing(name, configMap("kept-manifests", "1"))
	w.deleteAtEnd(request)
	result := w.apply(request)
	recorded, err := w.engine().ReadPlacement(t.Context(), engine.PlacementRequest{Name: name})
	if err != nil || !engine.SamePlacement(recorded.Spec, recorded.Manifests, request.Spec, request.Manifests) {
		t.Errorf("read %+v, %v", recorded, err)
	}
	w.complete(recorded.Status)
	var exists *engine.ExistsError
	if _, err := w.engine().ApplyPlacement(t.Context(), request); !errors.As(err, &exists) {
		t.Errorf("a placement of the same name: %v", err)
	}
	w.delete(after(request, result.Status))
	for _, member := range env.Members {
		if w.get(member, secretGVK, "fleet-system", "placement-"+name) != nil || w.inventory(member, name) != nil {
			t.Errorf("%s: records were left behind", member)
		}
	}
	if _, err := w.engine().ReadPlacement(t.Context(), after(request, result.Status)); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
}
