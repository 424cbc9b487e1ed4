package selection

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const hubObjects = `
{apiVersion: v1, kind: Namespace, metadata: {name: app, labels: {app: web}, uid: u1}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: app-2, labels: {app: web}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: gone, labels: {app: web, state: gone}, deletionTimestamp: "2024-01-01T00:00:00Z"}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: kube-public, labels: {app: reserved}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {app: also-reserved}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: app, labels: {app: web}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: app}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: app-2}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: gone}}
---
{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: app}, type: Opaque}
---
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: app}, type: kubernetes.io/service-account-token}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: app}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: app}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: app}}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: app}}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: mine, namespace: app}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: app, labels: {endpointslice.kubernetes.io/managed-by: x}}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: mine-1, namespace: app}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: app}, status: {replicas: 1}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: old, namespace: app, deletionTimestamp: "2024-01-01T00:00:00Z"}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: app, ownerReferences: [{kind: Deployment, name: web}]}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: alone, namespace: app}}
---
{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: r-1, namespace: app, ownerReferences: [{kind: DaemonSet, name: r}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: cron-1, namespace: app, ownerReferences: [{kind: CronJob, name: cron}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-app-0, namespace: app}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: app}}
---
{apiVersion: v1, kind: Event, metadata: {name: e, namespace: app}}
---
{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e, namespace: app}}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, namespace: app}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: quota, namespace: app}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: hooks}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader, labels: {app: web}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: writer}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: leaving, deletionTimestamp: "2024-01-01T00:00:00Z"}}
`

// contentOfApp lists the objects that a selector of the Namespace app selects, in the order of Compare.
var contentOfApp = []string{
	"Namespace app", "ServiceAccount app/robot", "Secret app/key", "ConfigMap app/settings", "PersistentVolumeClaim app/data-app-0",
	"Service app/web", "ReplicaSet app/alone", "Deployment app/web", "Job app/cron-1", "Endpoints app/mine",
	"EndpointSlice app/mine-1", "ResourceEnvelope.placement.kubernetes-fleet.io app/quota",
}

func TestResolve(t *testing.T) {
	const withSelectors = placement.NamespaceWithResourceSelectors
	tests := map[string]struct {
		selectors []placement.ResourceSelector
		want      []string
		empty     []int
		skipped   []string
		reserved  []string
	}{
		"4.4.3 namespace with its content": {
			selectors: []placement.ResourceSelector{namespace("app", "", "")},
			want:      contentOfApp,
		},
		"4.4.3 namespaces by label, without the one that is deleted": {
			selectors: []placement.ResourceSelector{namespace("", "web", placement.NamespaceWithResources)},
			want:      slices.Concat(contentOfApp[:1], []string{"Namespace app-2"}, contentOfApp[1:3], []string{"ConfigMap app-2/settings"}, contentOfApp[3:]),
		},
		"4.4.3 namespace only": {
			selectors: []placement.ResourceSelector{namespace("app", "", placement.NamespaceOnly)},
			want:      []string{"Namespace app"},
		},
		"4.2 namespace only has no check of reserved names": {
			selectors: []placement.ResourceSelector{namespace("", "reserved", placement.NamespaceOnly)},
			want:      []string{"Namespace kube-public"}, reserved: []string{"Namespace kube-public"},
		},
		"4.4.3 namespace only, being deleted": {
			selectors: []placement.ResourceSelector{namespace("gone", "", placement.NamespaceOnly)},
			want:      []string{}, empty: []int{0}, skipped: []string{"0 Namespace gone: it is being deleted"},
		},
		"4.4.4 cluster-scoped by name": {
			selectors: []placement.ResourceSelector{kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "reader")},
			want:      []string{"ClusterRole reader"},
		},
		"4.4.4 cluster-scoped by label": {
			selectors: []placement.ResourceSelector{labelled(kind("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "web")},
			want:      []string{"ClusterRole reader"},
		},
		"4.4.4 cluster-scoped, all": {
			selectors: []placement.ResourceSelector{kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "")},
			want:      []string{"ClusterRole reader", "ClusterRole writer"}, skipped: []string{"0 ClusterRole leaving: it is being deleted"},
		},
		"4.4.5 namespaced kinds from the namespace that is opened": {
			selectors: []placement.ResourceSelector{
				kind("apps", "v1", "Deployment", "web"), kind("", "v1", "ConfigMap", ""), namespace("app", "", withSelectors),
				labelled(kind("", "v1", "Secret", ""), "web"), kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "reader"),
			},
			want:    []string{"Namespace app", "ConfigMap app/settings", "ClusterRole reader", "Deployment app/web"},
			empty:   []int{3},
			skipped: []string{"1 ConfigMap app/kube-root-ca.crt: every cluster has its own"},
		},
		"4.3 Endpoints of a Service, although the Service is not selected": {
			selectors: []placement.ResourceSelector{namespace("app", "", withSelectors), kind("", "v1", "Endpoints", "")},
			want:      []string{"Namespace app", "Endpoints app/mine"},
			skipped:   []string{"1 Endpoints app/web: its Service creates it on every cluster"},
		},
		"4.1 core Events can be selected on purpose": {
			selectors: []placement.ResourceSelector{namespace("app", "", withSelectors), kind("", "v1", "Event", "")},
			want:      []string{"Namespace app", "Event app/e"},
		},
		"4.4.6 missing by name is no error": {
			selectors: []placement.ResourceSelector{namespace("nowhere", "", ""), kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "nobody")},
			want:      []string{}, empty: []int{0, 1},
		},
		"4.4.6 a namespace that is deleted brings nothing": {
			selectors: []placement.ResourceSelector{namespace("gone", "", "")},
			want:      []string{}, empty: []int{0},
		},
		"4.4.2 denied kinds are skipped": {
			selectors: []placement.ResourceSelector{
				kind("", "v1", "Pod", ""), kind("coordination.k8s.io", "v1", "Lease", "l"),
				kind("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourcePlacement", ""),
				kind("placement.kubernetes-fleet.io", "v1beta1", "ClusterResourceEnvelope", "hooks"),
			},
			want: []string{"ClusterResourceEnvelope.placement.kubernetes-fleet.io hooks"}, empty: []int{0, 1, 2},
			skipped: []string{
				"0 Pod : the workloads of each cluster create their Pods", "1 Lease : leases belong to one cluster",
				"2 ClusterResourcePlacement.placement.kubernetes-fleet.io : the placement API works on the hub",
			},
		},
		"no selectors": {want: []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := &hub{objects: parse(t, hubObjects)}
			got, err := Resolve(tt.selectors, hubKinds, h.list)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, names(got.Objects)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.empty, got.Empty); diff != "" {
				t.Error("empty:", diff)
			}
			if diff := cmp.Diff(tt.skipped, skippedTexts(got)); diff != "" {
				t.Error("skipped:", diff)
			}
			if diff := cmp.Diff(tt.reserved, identities(got.Reserved)); diff != "" {
				t.Error("reserved:", diff)
			}
			if len(h.batches) > 3 {
				t.Errorf("%d batches", len(h.batches))
			}
		})
	}
}

func skippedTexts(s Selection) []string {
	var texts []string
	for _, skipped := range s.Skipped {
		texts = append(texts, string(rune('0'+skipped.Selector))+" "+skipped.String()+": "+skipped.Reason)
	}
	return texts
}

func labelled(s placement.ResourceSelector, app string) placement.ResourceSelector {
	s.LabelSelector = namespace("", app, "").LabelSelector
	return s
}

func TestResolveErrors(t *testing.T) {
	const withSelectors = placement.NamespaceWithResourceSelectors
	badLabels := labelled(kind("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), "not a label value")
	tests := map[string]struct {
		selectors []placement.ResourceSelector
		selector  int
		want      string
	}{
		"4.2 reserved by name": {
			[]placement.ResourceSelector{namespace("app", "", ""), namespace("kube-system", "", "")}, 1,
			"namespace kube-system is not allowed to propagate",
		},
		"4.2 reserved by label": {
			[]placement.ResourceSelector{namespace("", "reserved", "")}, 0, "namespace kube-public is not allowed to propagate",
		},
		"4.2 reserved among all": {
			[]placement.ResourceSelector{namespace("", "", "")}, 0, "namespace default is not allowed to propagate",
		},
		"4.2 reserved, opened": {
			[]placement.ResourceSelector{namespace("kube-public", "", withSelectors)}, 0,
			"NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},
		"4.4.1 opened, not there": {
			[]placement.ResourceSelector{kind("", "v1", "ConfigMap", "a"), namespace("nowhere", "", withSelectors)}, 1,
			"NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},
		"4.4.1 opened, being deleted": {
			[]placement.ResourceSelector{namespace("gone", "", withSelectors)}, 0,
			"NamespaceWithResourceSelectors mode requires exactly one namespace, but no namespaces were selected",
		},
		"4.4.5 namespaced kind": {
			[]placement.ResourceSelector{namespace("app", "", ""), kind("apps", "v1", "Deployment", "web")}, 1,
			"cannot select namespace-scoped resource deployments in a clusterResourcePlacement; select its Namespace, and give that " +
				"selector the selectionScope NamespaceWithResourceSelectors to pick from it",
		},
		"4.4.7 unknown kind": {
			[]placement.ResourceSelector{kind("example.org", "v1", "Sample", "")}, 0,
			`failed to get GVR of the selector: no matches for kind "Sample" in version "example.org/v1"`,
		},
		"4.4.7 unknown version": {
			[]placement.ResourceSelector{kind("", "v2", "Namespace", "app")}, 0,
			`failed to get GVR of the selector: no matches for kind "Namespace" in version "v2"`,
		},
		"4.1 version that is not preferred": {
			[]placement.ResourceSelector{kind("rbac.authorization.k8s.io", "v1beta1", "ClusterRole", "")}, 0,
			`ClusterRole cannot be selected in version "rbac.authorization.k8s.io/v1beta1": the hub does not watch this version; select version "v1", which it prefers`,
		},
		"4.1 kind that cannot be listed": {
			[]placement.ResourceSelector{kind("", "v1", "Binding", "")}, 0,
			`Binding cannot be selected in version "v1": the hub does not watch this version`,
		},
		"4.4.8 duplicate": {
			[]placement.ResourceSelector{namespace("app", "", ""), namespace("", "web", placement.NamespaceOnly)}, 1,
			"found duplicate resource Namespace app (v1): selector 0 also selects it",
		},
		"bad labels": {[]placement.ResourceSelector{badLabels}, 0, "the labelSelector is invalid: "},
		"the first of several": {
			[]placement.ResourceSelector{namespace("", "reserved", ""), kind("example.org", "v1", "Sample", "")}, 0,
			"namespace kube-public is not allowed to propagate",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := &hub{objects: parse(t, hubObjects)}
			_, err := Resolve(tt.selectors, hubKinds, h.list)
			userError, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if !strings.HasPrefix(userError.Message, tt.want) || userError.Selector != tt.selector {
				t.Errorf("got %d: %s\nwant %d: %s", userError.Selector, err, tt.selector, tt.want)
			}
		})
	}
}

func TestResolveAsksOnceInFewBatches(t *testing.T) {
	h := &hub{objects: parse(t, hubObjects)}
	selectors := []placement.ResourceSelector{
		namespace("", "web", ""), kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "reader"),
		kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "writer"),
	}
	if _, err := Resolve(selectors, hubKinds, h.list); err != nil {
		t.Fatal(err)
	}
	if len(h.batches) != 2 {
		t.Errorf("%d batches", len(h.batches))
	}
	if h.batches[0][0].LabelSelector != "app=web" {
		t.Errorf("got %q", h.batches[0][0].LabelSelector)
	}
	asked := h.asked()
	if len(slices.Compact(slices.Clone(asked))) != len(asked) {
		t.Errorf("asked twice: %v", asked)
	}
	for _, q := range asked {
		for _, never := range []string{"pods", "events", "leases", "scale", "bindings"} {
			if strings.HasPrefix(q, never) {
				t.Errorf("asked for %s", q)
			}
		}
	}
}

func TestResolvePassesOnErrorsOfTheLister(t *testing.T) {
	failure := errors.New("no route")
	_, err := Resolve([]placement.ResourceSelector{namespace("app", "", "")}, hubKinds,
		func([]Query) ([][]*unstructured.Unstructured, error) { return nil, failure })
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	_, err = Resolve([]placement.ResourceSelector{namespace("app", "", "")}, hubKinds,
		func([]Query) ([][]*unstructured.Unstructured, error) { return nil, nil })
	if err == nil {
		t.Error("no error for missing answers")
	}
}

func TestResolveStripsAndNamesKinds(t *testing.T) {
	h := &hub{objects: parse(t, hubObjects)}
	got, err := Resolve([]placement.ResourceSelector{namespace("app", "", "")}, hubKinds, h.list)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got.Objects {
		if o.Content.GroupVersionKind() != o.GroupVersionKind() {
			t.Errorf("%s: content is %s", o, o.Content.GroupVersionKind())
		}
		if o.Content.GetUID() != "" || o.Content.Object["status"] != nil || o.Content.GetOwnerReferences() != nil {
			t.Errorf("%s is not stripped", o)
		}
	}
}

// TestResolveDoesNotDependOnOrder checks that the order of selectors, kinds and answers affects neither the objects nor whether there is an error.
func TestResolveDoesNotDependOnOrder(t *testing.T) {
	pool := []placement.ResourceSelector{
		namespace("app", "", ""), namespace("app-2", "", ""), namespace("app", "", placement.NamespaceOnly), namespace("", "web", ""),
		namespace("nowhere", "", ""), kind("rbac.authorization.k8s.io", "v1", "ClusterRole", ""), kind("", "v1", "Pod", ""),
		kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "reader"), namespace("app-2", "", placement.NamespaceWithResourceSelectors),
		kind("", "v1", "ConfigMap", "settings"), kind("apps", "v1", "Deployment", ""),
	}
	rapid.Check(t, func(t *rapid.T) {
		selectors := rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 1, 4, func(s placement.ResourceSelector) string {
			return s.Kind + s.Name + string(s.SelectionScope)
		}).Draw(t, "selectors")
		want, wantErr := Resolve(selectors, hubKinds, (&hub{objects: parse(t, hubObjects)}).list)
		shuffled := &hub{objects: rapid.Permutation(parse(t, hubObjects)).Draw(t, "objects")}
		got, err := Resolve(rapid.Permutation(selectors).Draw(t, "selectors again"), rapid.Permutation(hubKinds).Draw(t, "kinds"), shuffled.list)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("got %v, want %v", err, wantErr)
		}
		if diff := cmp.Diff(names(want.Objects), names(got.Objects)); diff != "" {
			t.Fatal(diff)
		}
		sorted := slices.IsSortedFunc(got.Objects, func(a, b manifest.Object) int { return Compare(a.Identifier, b.Identifier) })
		if !sorted {
			t.Fatal("not sorted")
		}
	})
}
