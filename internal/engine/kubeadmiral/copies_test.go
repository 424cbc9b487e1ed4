package kubeadmiral_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestNodePort checks that another node port of a Service on a member is not a difference: the host allocates its own port, and the control plane keeps the
// port of the member.
func TestNodePort(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	member := w.Members[0]
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const text = "{apiVersion: v1, kind: Service, metadata: {name: it, namespace: $ns}, spec: {type: NodePort, selector: {app: it}, ports: [{port: 80}]}}"
	before := portOf(t, w.Put(member, text))
	request := w.Placing("$ns", text).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff})
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil || actions(preview)[member+" Service it"] != takeover.ActionTakeOver {
		t.Fatalf("%+v %v", preview, err)
	}
	result := applied(t, w, request)
	now := w.Must(member, "v1 Service $ns/it")
	if !dispatch.Managed(now) || portOf(t, now) != before {
		t.Errorf("it had the port %v: %v", before, now.Object)
	}
	again := request.After(result.Status)
	if preview, err = again.Preview(w.Context(), w.Engine()); err != nil || preview.Pending() {
		t.Errorf("a second apply would do something: %+v %v", preview, err)
	}
	w.Delete(again)
}

func portOf(t *testing.T, service *unstructured.Unstructured) any {
	t.Helper()
	ports, _, _ := unstructured.NestedSlice(service.Object, "spec", "ports")
	first, _ := ports[0].(map[string]any)
	if first["nodePort"] == nil {
		t.Fatalf("%v has no port", service.Object)
	}
	return first["nodePort"]
}

// TestStringData checks that a Secret is sent in the form in which a host stores it, so that a second apply changes nothing.
func TestStringData(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	request := w.Placing("$ns", "{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: $ns}, stringData: {a: b}}")
	again := request.After(applied(t, w, request).Status)
	if preview, err := again.Preview(w.Context(), w.Engine()); err != nil || preview.Pending() {
		t.Errorf("a second apply would do something: %+v %v", preview, err)
	}
	w.Delete(again)
}

// TestRevision checks that the copy of a workload has no revision annotation of another cluster, and that a plan warns about an object that was created on
// the host with one: the control plane and the members would overwrite the annotation again and again.
func TestRevision(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	copied := strings.Replace(nginxOf("nginx"), "name: my-nginx,", "name: my-nginx, annotations: {deployment.kubernetes.io/revision: '1'},", 1)
	request := w.Placing("$ns", copied)
	result := applied(t, w, request)
	if annotations := w.Must(w.Env.Hub, "apps/v1 Deployment $ns/my-nginx").GetAnnotations(); annotations["deployment.kubernetes.io/revision"] != "" {
		t.Errorf("%v", annotations)
	}
	w.Delete(request.After(result.Status))
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}")
	w.Put(w.Env.Hub, strings.ReplaceAll(copied, "$ns", "$ns-app"))
	preview, err := selecting(w).Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(preview.Dangers, func(d engine.Danger) bool { return d.Title == "a revision is placed" }) {
		t.Errorf("%+v", preview.Dangers)
	}
}

// An apply ends as soon as the only remaining objects are those that the preview showed as not taken over, and reports all of them.
func TestAllLeftAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	var texts []string
	for _, name := range []string{"a", "b", "c", "d"} {
		texts = append(texts, "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: $ns}}")
		w.Put(w.Members[0], texts[len(texts)-1])
	}
	request := w.Placing("$ns", texts...).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever})
	result := applied(t, w, request)
	if failed := result.Status.Clusters[w.Members[0]].FailedPlacements; len(failed) != len(texts) {
		t.Errorf("%+v", failed)
	}
	if applied, _ := result.Status.Clusters[w.Members[1]].Condition(placement.Applied); applied.Status != placement.True {
		t.Errorf("%+v", result.Status.Clusters[w.Members[1]])
	}
	w.Delete(request.After(result.Status))
}
