package selection

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const givenManifests = `
{apiVersion: v1, kind: Namespace, metadata: {name: app, labels: {app: web}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: app}, status: {replicas: 1}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: other}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: dns, namespace: kube-system}}
---
{apiVersion: v1, kind: Pod, metadata: {name: debug, namespace: app}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: app}}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: app}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: app}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader, labels: {app: web}}}
---
{apiVersion: example.org/v1, kind: Sample, metadata: {name: a}}
`

func TestResolveManifests(t *testing.T) {
	const withSelectors = placement.NamespaceWithResourceSelectors
	skippedInApp := []string{
		"0 ServiceAccount app/default: every namespace has its own", "0 Pod app/debug: the workloads of each cluster create their Pods",
		"0 Endpoints app/web: its Service creates it on every cluster",
	}
	tests := map[string]struct {
		selectors  []placement.ResourceSelector
		want       []string
		empty      []int
		skipped    []string
		reserved   []string
		unselected []string
	}{
		"a namespace and its content": {
			selectors: []placement.ResourceSelector{namespace("app", "", "")},
			want:      []string{"Namespace app", "Service app/web", "Deployment app/web"}, skipped: skippedInApp,
			unselected: []string{"ConfigMap kube-system/dns", "ConfigMap other/settings", "ClusterRole reader", "Sample.example.org a"},
		},
		"a namespace by label": {
			selectors: []placement.ResourceSelector{namespace("", "web", "")},
			want:      []string{"Namespace app", "Service app/web", "Deployment app/web"}, skipped: skippedInApp,
			unselected: []string{"ConfigMap kube-system/dns", "ConfigMap other/settings", "ClusterRole reader", "Sample.example.org a"},
		},
		"a namespace with only its content given": {
			selectors:  []placement.ResourceSelector{namespace("other", "", "")},
			want:       []string{"ConfigMap other/settings"},
			unselected: []string{"Namespace app", "ServiceAccount app/default", "ConfigMap kube-system/dns", "ClusterRole reader", "Service app/web", "Pod app/debug", "Deployment app/web", "Endpoints app/web", "Sample.example.org a"},
		},
		"all namespaces, reserved ones too": {
			selectors: []placement.ResourceSelector{namespace("", "", "")},
			want:      []string{"Namespace app", "ConfigMap kube-system/dns", "ConfigMap other/settings", "Service app/web", "Deployment app/web"},
			skipped:   skippedInApp, reserved: []string{"ConfigMap kube-system/dns"}, unselected: []string{"ClusterRole reader", "Sample.example.org a"},
		},
		"namespace only, and kinds": {
			selectors: []placement.ResourceSelector{
				namespace("app", "", placement.NamespaceOnly), kind("rbac.authorization.k8s.io", "v1", "ClusterRole", ""),
				kind("example.org", "v1", "Sample", "a"), kind("example.org", "v2", "Sample", "a"), kind("", "v1", "Pod", ""),
			},
			want: []string{"Namespace app", "ClusterRole reader", "Sample.example.org a"}, empty: []int{3, 4},
			skipped:    []string{"4 Pod app/debug: the workloads of each cluster create their Pods"},
			unselected: []string{"ServiceAccount app/default", "ConfigMap kube-system/dns", "ConfigMap other/settings", "Service app/web", "Deployment app/web", "Endpoints app/web"},
		},
		"kinds from an opened namespace": {
			selectors:  []placement.ResourceSelector{namespace("app", "", withSelectors), kind("apps", "v1", "Deployment", ""), kind("", "v1", "ConfigMap", "")},
			want:       []string{"Namespace app", "Deployment app/web"},
			empty:      []int{2},
			unselected: []string{"ServiceAccount app/default", "ConfigMap kube-system/dns", "ConfigMap other/settings", "ClusterRole reader", "Service app/web", "Pod app/debug", "Endpoints app/web", "Sample.example.org a"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ResolveManifests(tt.selectors, parse(t, givenManifests), nil)
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
			if diff := cmp.Diff(tt.unselected, identities(got.Unselected)); diff != "" {
				t.Error("unselected:", diff)
			}
		})
	}
}

func TestResolveManifestsErrors(t *testing.T) {
	const withSelectors = placement.NamespaceWithResourceSelectors
	namespacedSamples := func(kind schema.GroupKind) (bool, bool) { return true, kind.Kind == "Sample" }
	tests := map[string]struct {
		selectors []placement.ResourceSelector
		scope     Scope
		selector  int
	}{
		"namespaced by its manifests":  {[]placement.ResourceSelector{kind("apps", "v1", "Deployment", "")}, nil, 0},
		"namespaced by scope":          {[]placement.ResourceSelector{kind("example.org", "v1", "Sample", "")}, namespacedSamples, 0},
		"opened namespace not there":   {[]placement.ResourceSelector{namespace("nowhere", "", withSelectors)}, nil, 0},
		"duplicate":                    {[]placement.ResourceSelector{namespace("app", "", ""), namespace("", "web", "")}, nil, 1},
		"label selector that is wrong": {[]placement.ResourceSelector{namespace("", "not a value", "")}, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ResolveManifests(tt.selectors, parse(t, givenManifests), tt.scope)
			userError, ok := errors.AsType[*Error](err)
			if !ok || userError.Selector != tt.selector {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestResolveManifestsGivenTwice(t *testing.T) {
	_, err := ResolveManifests([]placement.ResourceSelector{namespace("app", "", "")}, parse(t, givenManifests+"---"+givenManifests), nil)
	if want := "found duplicate resource Namespace app (v1): it is listed twice"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
