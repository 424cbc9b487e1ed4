package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// put makes an object as somebody else, for good.
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

// look holds the clusters against what must be.
func (l *life) look() {
	for _, cluster := range env.Members {
		l.lookAtOthers(cluster)
		there := l.operation != "destroy" && slices.Contains(l.picked, cluster)
		for ref := range l.ever {
			if _, theirs := l.foreign[cluster][ref]; theirs {
				continue
			}
			data, wanted := l.wanted[ref]
			placed := there && wanted
			u := l.find(cluster, ref)
			switch {
			case placed && u == nil:
				l.complain(cluster, ref, "is missing")
			case placed && ref.Kind == "ConfigMap" && !maps.Equal(content(u), data):
				l.complain(cluster, ref, fmt.Sprintf("has %v, and is to have %v", content(u), data))
			case !placed && u != nil && u.GetDeletionTimestamp() == nil && !l.held(cluster, ref) && !l.told(cluster, ref):
				l.complain(cluster, ref, "is left behind, and nothing says so")
			}
		}
		if !there {
			for _, kind := range []string{"ConfigMap", "Secret"} {
				record := fixture.Ref{APIVersion: "v1", Kind: kind, Namespace: "fleet-system", Name: "placement-" + l.name}
				if l.find(cluster, record) != nil {
					l.complain(cluster, record, "is left behind")
				}
			}
		}
	}
	if l.operation != "destroy" {
		l.lookOnceMore()
	}
}

// lookAtOthers checks that nobody has lost anything.
func (l *life) lookAtOthers(cluster string) {
	for ref, theirs := range l.foreign[cluster] {
		u := l.find(cluster, ref)
		switch {
		case u == nil || string(u.GetUID()) != theirs.uid:
			l.complain(cluster, ref, "was somebody's, and is lost")
		case ref.Kind == "ConfigMap" && !l.mayTake(ref, theirs) && !maps.Equal(content(u), theirs.data):
			l.complain(cluster, ref, fmt.Sprintf("was somebody's, and has %v where it had %v", content(u), theirs.data))
		}
	}
}

// mayTake tells whether the placement may write to what others have made.
func (l *life) mayTake(ref fixture.Ref, theirs stranger) bool {
	switch {
	case !theirs.mine || l.mode == "Never":
		return false
	case l.mode == "IfNoDiff":
		return ref.Name == "e0" // the one that is equal
	default:
		return true
	}
}

// held tells whether a Namespace has to stay because others have something in it.
func (l *life) held(cluster string, ref fixture.Ref) bool {
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

// told tells whether Terraform has said that an object stays. What the placement made can only be told from what others did while its
// records are whole.
func (l *life) told(cluster string, ref fixture.Ref) bool {
	said := l.said.String()
	return l.lost && strings.Contains(said, cluster) && strings.Contains(said, "left")
}

// lookOnceMore checks that there is nothing left to do.
func (l *life) lookOnceMore() {
	l.recorder.Reset()
	if err := l.run("apply", "-auto-approve", "-no-color"); err != nil {
		l.Errorf("%s: one more apply: %v", l.operation, err)
	}
	if writes := l.recorder.Writes(); len(writes) > 0 {
		l.Errorf("%s: one more apply writes %d times: %v", l.operation, len(writes), writes[:min(3, len(writes))])
	}
}

func (l *life) complain(cluster string, ref fixture.Ref, what string) {
	l.Errorf("%s: %s: %s %s", l.operation, cluster, ref, what)
}

func content(u *unstructured.Unstructured) map[string]string {
	out, _, _ := unstructured.NestedStringMap(u.Object, "data")
	return out
}
