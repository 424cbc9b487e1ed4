package kube_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestDiscovery(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	kinds := must[[]kube.Kind](t)(cluster.Kinds(ctx))
	at := slices.IndexFunc(kinds, func(k kube.Kind) bool { return k.Group == "apps" && k.Kind == "Deployment" })
	if at < 0 || kinds[at].Resource != "deployments" || !kinds[at].Namespaced || !slices.Contains(kinds[at].Verbs, "patch") {
		t.Errorf("%d: %+v", at, kinds)
	}
	if stats := cluster.Stats(); stats.Requests != 2 {
		t.Errorf("discovery took %d requests", stats.Requests)
	}
	if groups, err := cluster.UnavailableGroups(ctx); err != nil || len(groups) != 0 {
		t.Errorf("%v, %v", groups, err)
	}
	uid := must[string](t)(stringOf(cluster.UID(ctx)))
	version := must[string](t)(cluster.ServerVersion(ctx))
	if len(uid) != 36 || !strings.HasPrefix(version, "v1.") {
		t.Errorf("%q, %q", uid, version)
	}
}

func stringOf[S ~string](value S, err error) (string, error) { return string(value), err }

func TestKindsThatComeAndGo(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	group := fmt.Sprintf("g%d.example.com", time.Now().UnixNano())
	gvk := schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Widget"}
	_, err := cluster.Resolve(ctx, gvk)
	if !kube.IsUnknownKind(err) || kube.IsNotFound(err) {
		t.Errorf("before: %v", err)
	}
	crd := must[*unstructured.Unstructured](t)(cluster.Create(ctx, parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.`+group+`}
spec:
  group: `+group+`
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`), kube.WriteOptions{}))
	for {
		if _, err = cluster.Resolve(ctx, gvk); err == nil {
			break
		}
		if !kube.IsUnknownKind(err) || ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}

	widget := inNamespace(t, namespace, `{apiVersion: `+group+`/v1, kind: Widget, metadata: {name: w}, spec: {size: 1, list: [a, b], old: x}}`)
	live, _, err := cluster.ApplyClientSide(ctx, widget, nil, kube.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	widget = inNamespace(t, namespace, `{apiVersion: `+group+`/v1, kind: Widget, metadata: {name: w}, spec: {size: 2, list: [b]}}`)
	result, changed, err := cluster.ApplyClientSide(ctx, widget, live, kube.ApplyOptions{OptimisticLock: true})
	if err != nil || !changed || field(result, "spec") != "map[list:[b] size:2]" {
		t.Errorf("%v, %v, %s", changed, err, field(result, "spec"))
	}

	if err := cluster.Delete(ctx, kube.RefOf(crd), crd.GetUID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WaitGone(ctx, kube.RefOf(crd), crd.GetUID()); err != nil {
		t.Fatal(err)
	}
	for {
		_, err = cluster.Get(ctx, gvk, namespace, "w")
		if kube.IsUnknownKind(err) {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("after:", err)
		}
		if kube.IsNotFound(err) && !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("an unknown kind counts as a missing object: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestLargeListsArePaged(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const count = 1010
	var refs []kube.Ref
	var wait sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range count {
		obj := inNamespace(t, namespace, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, labels: {odd: '%d'}}}", i, i%2))
		refs = append(refs, kube.RefOf(obj))
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if _, err := cluster.Create(ctx, obj, kube.WriteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	before := cluster.Stats().Requests
	odd := must[[]*unstructured.Unstructured](t)(cluster.List(ctx, configMapGVK, namespace, "odd=1"))
	if len(odd) != count/2 {
		t.Errorf("%d selected", len(odd))
	}
	found, errs := cluster.GetMany(ctx, append(refs, kube.Ref{GVK: configMapGVK, Namespace: namespace, Name: "absent"}))
	if len(found) != count || len(errs) != 0 {
		t.Errorf("%d found, %v", len(found), errs)
	}
	if got := cluster.Stats().Requests - before; got != 3 {
		t.Errorf("%d requests, want one list and one list of two pages", got)
	}
}

// An object that has not changed since it was seen is returned without its content. A changed or recreated object is returned completely.
func TestGetChanged(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	var refs []kube.Ref
	seen := map[kube.Ref]kube.Seen{}
	note := func(u *unstructured.Unstructured) {
		seen[kube.RefOf(u)] = kube.Seen{UID: string(u.GetUID()), ResourceVersion: u.GetResourceVersion()}
	}
	for _, name := range []string{"same", "labelled", "recreated", "unknown"} {
		obj := inNamespace(t, namespace, "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+"}, data: {a: b}}")
		created := must[*unstructured.Unstructured](t)(cluster.Create(ctx, obj, kube.WriteOptions{}))
		refs = append(refs, kube.RefOf(created))
		if name != "unknown" {
			note(created)
		}
		switch name {
		case "labelled":
			must[*unstructured.Unstructured](t)(cluster.Patch(ctx, kube.RefOf(created), types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), kube.WriteOptions{}))
		case "recreated":
			if err := cluster.Delete(ctx, kube.RefOf(created), created.GetUID(), metav1.DeletePropagationBackground); err != nil {
				t.Fatal(err)
			}
			must[*unstructured.Unstructured](t)(cluster.Create(ctx, obj, kube.WriteOptions{}))
		}
	}
	for _, ctx := range []context.Context{ctx, kube.ShareReads(ctx), kube.ShareReads(ctx)} {
		found, errs := cluster.GetChanged(ctx, refs, seen)
		if len(found) != len(refs) || len(errs) != 0 {
			t.Fatalf("%d found, %v", len(found), errs)
		}
		for i, ref := range refs {
			_, whole := found[ref].Object["data"]
			if whole != (i > 0) || found[ref].GetKind() != "ConfigMap" || found[ref].GetName() != ref.Name || found[ref].GetUID() == "" {
				t.Errorf("%s: %v", ref, found[ref].Object)
			}
			is := kube.Seen{UID: string(found[ref].GetUID()), ResourceVersion: found[ref].GetResourceVersion()}
			if (is == seen[ref]) != (i == 0) {
				t.Errorf("%s: %+v, was %+v", ref, is, seen[ref])
			}
		}
	}
}

func TestRights(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	reader := clusterAs(t, connectionTo(t, clusters.Readonly), kube.Options{})
	check := func(verb, namespace string) kube.Check {
		return kube.Check{Verb: verb, GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: namespace}
	}
	checks := []kube.Check{check("get", namespace), check("patch", namespace), check("list", ""), check("create", "")}
	allowed := must[map[kube.Check]bool](t)(reader.CanI(ctx, checks))
	for i, want := range []bool{true, false, true, false} {
		if allowed[checks[i]] != want {
			t.Errorf("%+v: %v", checks[i], allowed[checks[i]])
		}
	}
	before := cluster.Stats().Requests
	if all := must[map[kube.Check]bool](t)(cluster.CanI(ctx, checks)); !all[checks[1]] || cluster.Stats().Requests != before+1 {
		t.Errorf("%v, %+v", all, cluster.Stats())
	}
	config := inNamespace(t, namespace, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}")
	for _, dryRun := range []bool{true, false} {
		_, _, err := reader.ApplyServerSide(ctx, config, nil, kube.ApplyOptions{DryRun: dryRun})
		if !kube.IsForbidden(err) || kube.IsNotFound(err) {
			t.Error(err)
		}
		assertErrorContains(t, err, "cannot apply ConfigMap "+namespace+"/c: not allowed (403)", `cannot patch resource "configmaps"`, "Grant this right")
	}
	_, err := reader.Create(ctx, inNamespace(t, namespace, "{apiVersion: v1, kind: Secret, metadata: {name: s}}"), kube.WriteOptions{})
	assertErrorContains(t, err, `cannot create resource "secrets"`)
}

func TestClientCertificate(t *testing.T) {
	cluster := clusterAs(t, connectionTo(t, clusters.Certificate), kube.Options{})
	if _, err := cluster.UID(withTimeout(t, time.Minute)); err != nil {
		t.Error(err)
	}
}

func TestWrongCredentials(t *testing.T) {
	ctx := withTimeout(t, time.Minute)
	cluster := clusterAs(t, connectionTo(t, clusters.Expired), kube.Options{})
	_, err := cluster.UID(ctx)
	if !kube.IsUnauthorized(err) {
		t.Error(err)
	}
	assertErrorContains(t, err, `cluster "member-1": cannot identify it: the cluster does not accept the credentials (401)`)

	other := connectionTo(t, administrator)
	other.TLSServerName = "wrong.test"
	_, err = clusterAs(t, other, kube.Options{}).UID(ctx)
	if !kube.IsUnreachable(err) {
		t.Error(err)
	}
	assertErrorContains(t, err, "tls_server_name")
}

func TestStoppedCluster(t *testing.T) {
	env := realEnv(t)
	if !env.CanStopMembers() {
		t.Skip("these clusters cannot be stopped")
	}
	cluster, ctx := realCluster(t), withTimeout(t, 2*time.Minute)
	must[[]kube.Kind](t)(cluster.Kinds(ctx))
	if err := env.StopMember(ctx, env.Members[0]); err != nil {
		t.Fatal(err)
	}
	var refs []kube.Ref
	for i := range 200 {
		refs = append(refs, kube.Ref{GVK: configMapGVK, Namespace: fmt.Sprintf("n%d", i), Name: "c"})
	}
	before := cluster.Stats().Dials
	found, errs := cluster.GetMany(ctx, refs)
	if len(found) != 0 || len(errs) != len(refs) {
		t.Errorf("%d found, %d errors", len(found), len(errs))
	}
	// Reads in flight when the first one fails finish their attempt and its retry; no other read connects.
	if dials := cluster.Stats().Dials - before; dials > 2*kube.MaxParallel {
		t.Errorf("%d dials for %d objects", dials, len(refs))
	}
	for _, err := range errs {
		if !kube.IsUnreachable(err) || kube.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	if err := env.StartMember(ctx, env.Members[0]); err != nil {
		t.Fatal(err)
	}
	for { // the cluster counts as unreachable for a short time only
		if _, err := cluster.Get(ctx, namespaceGVK, "", "kube-system"); err == nil {
			break
		} else if ctx.Err() != nil || !kube.IsUnreachable(err) && !kube.IsServerFailure(err) && !kube.IsForbidden(err) {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
