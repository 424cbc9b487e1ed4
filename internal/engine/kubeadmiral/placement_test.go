package kubeadmiral_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// settings is a namespace with an object in it.
const settings = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello}}`

// selecting returns a request for the settings on all members.
func selecting(w *enginetest.World) enginetest.Request {
	return enginetest.Request{Name: w.Name, Wait: true, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Version: "v1", Kind: "Namespace", Name: w.Expand("$ns-app")},
	}}}
}

func applied(t *testing.T, w *enginetest.World, request enginetest.Request) *engine.Result {
	t.Helper()
	result, err := request.Apply(w.Context(), w.Engine())
	if err != nil || result.TimedOut {
		t.Fatalf("%+v %v; errors of the control plane: %v", result, err, lastError())
	}
	return result
}

func actions(preview *engine.Preview) map[string]takeover.Action {
	out := map[string]takeover.Action{}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			out[c.Name+" "+o.Kind+" "+o.Name] = o.Action
		}
	}
	return out
}

// TestSelected checks that objects that are selected on the host are created on all members and deleted there again, and that the host's own objects remain
// unchanged.
func TestSelected(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, settings)
	request := selecting(w)
	result := applied(t, w, request)
	if !result.Status.Is(placement.Available) {
		t.Errorf("%+v", result.Status)
	}
	for _, member := range w.Members {
		w.Must(member, "v1 ConfigMap $ns-app/settings")
	}
	again := request.After(result.Status)
	preview, err := again.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if preview.Pending() {
		t.Errorf("a second apply would do something: %+v", preview.Clusters)
	}
	read, err := again.Read(w.Context(), w.Engine())
	if err != nil || read.Spec.Policy != nil || !read.Status.Is(placement.Applied) {
		t.Errorf("%+v %v", read, err)
	}
	if preview, err = again.PreviewDelete(w.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		if action := actions(preview)[member+" ConfigMap settings"]; action != takeover.ActionPrune {
			t.Errorf("%s: %s", member, action)
		}
	}
	w.Delete(again)
	for _, member := range w.Members {
		if w.Find(member, "v1 ConfigMap $ns-app/settings") != nil {
			t.Errorf("it is still on %s", member)
		}
	}
	host := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings")
	for key := range host.GetLabels() {
		if strings.Contains(key, "kubeadmiral.io") {
			t.Errorf("the host's object has the label %s", key)
		}
	}
	for key := range host.GetAnnotations() {
		if slices.Contains(convert.OwnAnnotations, key) || key == v1alpha1.NoFederatedResourceAnnotation {
			t.Errorf("the host's object has the annotation %s", key)
		}
	}
}

// nginx is the workload of the worked example, as on a member and as written for the host.
const nginx = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: my-nginx, namespace: $ns}, spec: {replicas: 2, selector: {matchLabels: {run: my-nginx}},
  template: {metadata: {labels: {run: my-nginx}}, spec: {containers: [{name: my-nginx, image: $image, ports: [{containerPort: 80}]}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: my-nginx, namespace: $ns, labels: {run: my-nginx}}, spec: {selector: {run: my-nginx}, ports: [{port: 80}]}}`

func nginxOf(image string) string { return strings.ReplaceAll(nginx, "$image", image) }

// federating returns a request for the workload on the first member, with manifests.
func federating(w *enginetest.World, image string, when placement.WhenToTakeOver) enginetest.Request {
	request := w.Placing("$ns", nginxOf(image)).Strategy(placement.ApplyStrategy{WhenToTakeOver: when})
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}
	return request
}

// A placement takes over a workload that runs on a member without a restart of its Pods. The workload continues to run when the placement is destroyed.
func TestFederate(t *testing.T) {
	t.Parallel()
	for _, when := range []placement.WhenToTakeOver{placement.TakeOverIfNoDiff, placement.TakeOverAlways} {
		t.Run(string(when), func(t *testing.T) {
			if when != placement.TakeOverIfNoDiff && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 1)
			member := w.Members[0]
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			w.Put(member, nginxOf("nginx"))
			before := w.Must(member, "apps/v1 Deployment $ns/my-nginx")
			address := addressOf(w.Must(member, "v1 Service $ns/my-nginx"))
			request := federating(w, "nginx", when)
			preview, err := request.Preview(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Deployment my-nginx", "Service my-nginx"} {
				if action := actions(preview)[member+" "+name]; action != takeover.ActionTakeOver {
					t.Errorf("%s is predicted as %s: %+v", name, action, preview.Clusters)
				}
			}
			result := applied(t, w, request)
			now := w.Must(member, "apps/v1 Deployment $ns/my-nginx")
			if !dispatch.Managed(now) || !dispatch.Adopted(now) || now.GetUID() != before.GetUID() {
				t.Errorf("the Deployment was not adopted: %v", now.Object["metadata"])
			}
			same(t, before, now)
			if got := addressOf(w.Must(member, "v1 Service $ns/my-nginx")); got != address {
				t.Errorf("the Service has the address %s, and had %s", got, address)
			}
			again := request.After(result.Status)
			if preview, err = again.Preview(w.Context(), w.Engine()); err != nil || preview.Pending() {
				t.Errorf("a second apply would do something: %+v %v", preview, err)
			}
			if preview, err = again.PreviewDelete(w.Context(), w.Engine()); err != nil {
				t.Fatal(err)
			}
			if action := actions(preview)[member+" Deployment my-nginx"]; action != takeover.ActionOrphan {
				t.Errorf("its removal is predicted as %s", action)
			}
			w.Delete(again)
			left := w.Must(member, "apps/v1 Deployment $ns/my-nginx")
			if left.GetUID() != before.GetUID() || dispatch.Managed(left) {
				t.Errorf("it did not stay as it was: %v", left.Object["metadata"])
			}
			same(t, before, left)
			if w.Find(w.Env.Hub, "apps/v1 Deployment $ns/my-nginx") != nil {
				t.Error("what the provider has made on the host is still there")
			}
		})
	}
}

func addressOf(service *unstructured.Unstructured) string {
	address, _, _ := unstructured.NestedString(service.Object, "spec", "clusterIP")
	return address
}

// same fails the test if the Pods of a workload were replaced. It compares the Pod templates, because the generation also changes without a replacement.
func same(t *testing.T, before, now *unstructured.Unstructured) {
	t.Helper()
	was, _, _ := unstructured.NestedMap(before.Object, "spec", "template")
	is, _, _ := unstructured.NestedMap(now.Object, "spec", "template")
	if !slices.Equal(keys(was), keys(is)) || manifestHash(was) != manifestHash(is) {
		t.Errorf("the template was %v, and is %v", was, is)
	}
}

// Under IfNoDiff, a workload whose takeover would restart its Pods remains unchanged, and the plan lists the fields that differ, including those that only the
// member has.
func TestRestarting(t *testing.T) {
	t.Parallel()
	const own = "image: nginx, env: [{name: INJECTED, value: here}],"
	for name, c := range map[string]struct {
		is, field string
		fault     clusters.Fault
		// all reports that only make test-all runs the case.
		all bool
	}{
		"a field of the member's own":                    {is: own, field: "INJECTED"},
		"another value":                                  {is: "image: nginx:2,", field: "nginx:2", all: true},
		"one of its own, where no dry run may be made":   {is: own, field: "INJECTED", fault: clusters.Fault{Status: http.StatusForbidden}},
		"one of its own, of an object that others write": {is: own, field: "INJECTED", fault: clusters.Fault{Times: 6}, all: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.all && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			restarting(t, strings.Replace(nginxOf("nginx"), "image: nginx,", c.is, 1), c.field, c.fault)
		})
	}
}

// restarting injects a fault into the dry runs of the Deployment. If the fault forwards them, another client writes the Deployment immediately before.
func restarting(t *testing.T, there, field string, fault clusters.Fault) {
	t.Helper()
	w := fleet.World(t, 1)
	if fault.Status != 0 || fault.Times != 0 {
		fault.Match = func(r clusters.Request) bool {
			return r.DryRun && strings.HasSuffix(r.Path, w.Expand("/$ns/deployments/my-nginx"))
		}
		if fault.Status == 0 {
			turn := 0
			fault.Hook = func(clusters.Request) {
				turn++
				w.Edit(w.Members[0], "apps/v1 Deployment $ns/my-nginx", "metadata: {annotations: {turn: '"+strconv.Itoa(turn)+"'}}")
			}
		}
		defer w.Inject(fault)()
	}
	member := w.Members[0]
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	w.Put(member, there)
	before := w.Must(member, "apps/v1 Deployment $ns/my-nginx")
	request := federating(w, "nginx", placement.TakeOverIfNoDiff)
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if action := actions(preview)[member+" Deployment my-nginx"]; action != takeover.ActionLeaveAlone {
		t.Errorf("it is predicted as %s", action)
	}
	reported := slices.ContainsFunc(preview.Clusters[0].Objects, func(o engine.ObjectPreview) bool {
		return o.Kind == "Deployment" && o.Restart == "" && strings.Contains(fmt.Sprint(workload.RestartCauses(o.GroupVersionKind().GroupKind(), o.Differences)), field)
	})
	if !reported {
		t.Errorf("the plan does not say what would restart it: %+v", preview.Clusters)
	}
	result := applied(t, w, request)
	now := w.Must(member, "apps/v1 Deployment $ns/my-nginx")
	same(t, before, now)
	if dispatch.Managed(now) {
		t.Errorf("it was touched: %v", now.Object["metadata"])
	}
	failed := result.Status.Clusters[member].FailedPlacements
	if len(failed) != 1 || failed[0].Kind != "Deployment" || failed[0].Condition.Reason != takeover.ReasonFailedToTakeOver {
		t.Errorf("%+v", failed)
	}
	w.Delete(request.After(result.Status))
	w.Must(member, "apps/v1 Deployment $ns/my-nginx")
}

// Under IfNoDiff, the annotation lists exactly the clusters on which the object is equal. It does not use a regular expression, which is unanchored and could
// match other clusters.
func TestAdoptedClusters(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns}, data: {a: %}}"
	w.Put(w.Members[0], strings.ReplaceAll(text, "%", "same"))
	w.Put(w.Members[1], strings.ReplaceAll(text, "%", "other"))
	request := w.Placing("$ns", strings.ReplaceAll(text, "%", "same")).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff})
	result := applied(t, w, request)
	host := w.Must(w.Env.Hub, "v1 ConfigMap $ns/it")
	if got, want := host.GetAnnotations()[v1alpha1.ClustersToAdoptAnnotation], `{"clusters":["`+w.Members[0]+`"]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, want := range []string{"same", "other", "same"} {
		live := w.Must(w.Members[i], "v1 ConfigMap $ns/it")
		if got, _, _ := unstructured.NestedString(live.Object, "data", "a"); got != want || dispatch.Managed(live) == (i == 1) {
			t.Errorf("%s has %s: %v", w.Members[i], got, live.Object["metadata"])
		}
	}
	w.Delete(request.After(result.Status))
	if w.Find(w.Members[2], "v1 ConfigMap $ns/it") != nil {
		t.Error("what was created is still there")
	}
	w.Must(w.Members[0], "v1 ConfigMap $ns/it")
	w.Must(w.Members[1], "v1 ConfigMap $ns/it")
}

// TestNamespaceFirst checks that a Namespace is created before the objects in it, regardless of the order of manifests.
func TestNamespaceFirst(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-new}}", "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-new}}")
	result := applied(t, w, request)
	if len(result.Status.Clusters[w.Members[0]].FailedPlacements) > 0 {
		t.Errorf("%+v", result.Status)
	}
	w.Must(w.Members[0], "v1 ConfigMap $ns-new/it")
	w.Delete(request.After(result.Status))
}

// The plan reports a Namespace that is missing on the host.
func TestNamespaceMissing(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-none}}")
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name != w.Members[0] {
				continue // this provider has no connection to the cluster
			}
			if o.Action != takeover.ActionReject || !strings.Contains(o.Message, w.Expand("it has no Namespace $ns-none")) {
				t.Errorf("%+v", o)
			}
		}
	}
}

// TestReplaced checks the plan of a replacement: the removal of the prior placement keeps its taken-over objects on the members, so that the new placement
// takes them over again, and deletes its other objects, so that the new placement creates them.
func TestReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	member := w.Members[0]
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const there, made = "{apiVersion: v1, kind: ConfigMap, metadata: {name: there, namespace: $ns}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: $ns}}"
	w.Put(member, there)
	request := w.Placing("$ns", there, made).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways})
	result := applied(t, w, request)
	p := engine.Placement{Reference: engine.Reference{Name: request.Name}, Spec: request.Spec, Manifests: request.Manifests}
	before := p
	before.Prior = &result.Status
	for _, name := range []string{p.Name, p.Name + "-renamed"} {
		p.Name = name
		preview, err := w.Engine().Preview(w.Context(), p, engine.PreviewOptions{Replaces: &before})
		if err != nil {
			t.Fatal(err)
		}
		shown := actions(preview)
		for object, want := range map[string]takeover.Action{"there": takeover.ActionTakeOver, "made": takeover.ActionCreate} {
			if got := shown[member+" ConfigMap "+object]; got != want {
				t.Errorf("%s: the plan shows %s as %s", name, object, got)
			}
		}
		if len(preview.Dangers) > 0 {
			t.Errorf("%s: %+v", name, preview.Dangers)
		}
	}
	w.Delete(request.After(result.Status))
}

// TestTwoPolicies checks that a second placement writes nothing to an object of another placement: an object has one policy.
func TestTwoPolicies(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, settings)
	first := selecting(w)
	result := applied(t, w, first)
	before := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings").GetLabels()
	second := selecting(w)
	second.Name += "-2"
	preview := previewed(t, w, second)
	left := 0
	for _, o := range preview.Clusters[0].Objects {
		if o.Action == takeover.ActionLeaveAlone && o.Owner.Name == first.Name && o.Claimed {
			left++
		}
	}
	if left != 1 {
		t.Errorf("it shows %+v", preview.Clusters[0].Objects)
	}
	w.Delete(second.After(applied(t, w, second).Status))
	if diff := cmp.Diff(before, w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/settings").GetLabels()); diff != "" {
		t.Errorf("the second placement has changed the labels: %s", diff)
	}
	w.Delete(first.After(result.Status))
}
