package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// put creates an object as another client, and records it in foreign.
func (l *life) put(cluster string, ref fixture.Ref, data map[string]string) {
	l.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(ref.GVK())
	u.SetNamespace(ref.Namespace)
	u.SetName(ref.Name)
	for key, value := range data {
		_ = unstructured.SetNestedField(u.Object, value, "data", key)
	}
	stored, err := l.on(cluster).Add(l.Context(), u, false)
	if err != nil {
		l.Fatalf("%s: %s: %v", cluster, ref, err)
	}
	_, mine := l.wanted[ref]
	l.foreign[cluster][ref] = stranger{uid: string(stored.GetUID()), data: data, mine: mine || strings.HasPrefix(ref.Name, "e")}
	if ref.Namespace == "" {
		l.Cleanup(func() {
			if err := l.on(cluster).Delete(l.background(), ref.APIVersion, ref.Kind, "", ref.Name); err != nil {
				l.Error(err)
			}
		})
	}
}

func (l *life) find(cluster string, ref fixture.Ref) *unstructured.Unstructured {
	l.Helper()
	u, err := l.on(cluster).Find(l.Context(), ref)
	if err != nil {
		l.Fatalf("%s: %s: %v", cluster, ref, err)
	}
	return u
}

// checkClusters checks the objects on the clusters.
func (l *life) checkClusters() {
	for _, cluster := range env.Members {
		l.checkForeign(cluster)
		there := l.operation != "destroy" && slices.Contains(l.picked, cluster)
		for ref := range l.everWanted {
			if _, theirs := l.foreign[cluster][ref]; theirs {
				continue
			}
			data, wanted := l.wanted[ref]
			placed := there && wanted
			u := l.find(cluster, ref)
			switch {
			case placed && u == nil:
				l.fail(cluster, ref, "is missing")
			case placed && ref.Kind == "ConfigMap" && !maps.Equal(content(u), data):
				l.fail(cluster, ref, fmt.Sprintf("has %v, want %v", content(u), data))
			case !placed && u != nil && u.GetDeletionTimestamp() == nil && !l.mustStay(cluster, ref) && !l.isReported(cluster, ref):
				l.fail(cluster, ref, "still exists, and the output does not report it")
			}
		}
		if !there {
			for _, kind := range []string{"ConfigMap", "Secret"} {
				record := fixture.Ref{APIVersion: "v1", Kind: kind, Namespace: "fleet-system", Name: "placement-" + l.name}
				if l.find(cluster, record) != nil {
					l.fail(cluster, record, "still exists")
				}
			}
		}
	}
	if l.operation != "destroy" {
		l.checkNoChanges()
	}
}

// checkForeign checks that no object of another client was deleted, and that the data of ConfigMaps that the placement must not take over is unchanged.
func (l *life) checkForeign(cluster string) {
	for ref, theirs := range l.foreign[cluster] {
		u := l.find(cluster, ref)
		switch {
		case u == nil || string(u.GetUID()) != theirs.uid:
			l.fail(cluster, ref, "belonged to another client and was deleted")
		case ref.Kind == "ConfigMap" && !l.mayTake(ref, theirs) && !maps.Equal(content(u), theirs.data):
			l.fail(cluster, ref, fmt.Sprintf("belongs to another client and has %v, want %v", content(u), theirs.data))
		}
	}
}

// mayTake reports whether the placement may write to another client's object.
func (l *life) mayTake(ref fixture.Ref, theirs stranger) bool {
	switch {
	case !theirs.mine || l.mode == "Never":
		return false
	case l.mode == "IfNoDiff":
		return ref.Name == "e0" // the equal one
	default:
		return true
	}
}

// mustStay reports whether a Namespace must stay because it has objects of other clients.
func (l *life) mustStay(cluster string, ref fixture.Ref) bool {
	if ref.Kind != "Namespace" {
		return false
	}
	for other := range l.foreign[cluster] {
		if other.Namespace == ref.Name {
			return true
		}
	}
	return false
}

// isReported reports whether the placement has lost a record and Terraform has reported that objects remain on the cluster: the provider can distinguish the
// placement's objects from those of other clients only while its records are complete.
func (l *life) isReported(cluster string, ref fixture.Ref) bool {
	said := l.output.String()
	return l.lost && strings.Contains(said, cluster) && strings.Contains(said, "remain on the cluster")
}

// checkNoChanges checks that another apply writes nothing.
func (l *life) checkNoChanges() {
	l.recorder.Reset()
	if err := l.run("apply", "-auto-approve", "-no-color"); err != nil {
		l.Errorf("%s: another apply: %v", l.operation, err)
	}
	if writes := l.recorder.Writes(); len(writes) > 0 {
		l.Errorf("%s: another apply made %d writes: %v", l.operation, len(writes), writes[:min(3, len(writes))])
	}
}

func (l *life) fail(cluster string, ref fixture.Ref, what string) {
	l.Errorf("%s: %s: %s %s", l.operation, cluster, ref, what)
}

func content(u *unstructured.Unstructured) map[string]string {
	out, _, _ := unstructured.NestedStringMap(u.Object, "data")
	return out
}
