package agent

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// The agent checks owner references only, and does not write objects of another AppliedWork. Owner also names any other owner, but the agent overwrites the
// objects of such an owner.
func TestOwner(t *testing.T) {
	const theirs = "ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: theirs-work, uid: u}]"
	for name, c := range map[string]struct {
		metadata  string
		there     bool
		kind      takeover.OwnerKind
		exclusive bool
	}{
		"KubeAdmiral":               {"labels: {kubeadmiral.io/managed: 'true'}", true, takeover.OwnerKubeAdmiral, false},
		"another placement":         {theirs, true, takeover.OwnerKubeFleet, true},
		"a placement that is gone":  {theirs, false, takeover.OwnerNone, false},
		"another one and a release": {"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web}, " + theirs, true, takeover.OwnerKubeFleet, true},
		"a release": {
			"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web}", true, takeover.OwnerHelm, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Parse("test", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, "+c.metadata+"}}")
			if err != nil {
				t.Fatal(err)
			}
			ownership := &Ownership{WorkExists: func(string) bool { return c.there }}
			if got := ownership.Owner(objects[0].Content); got.Kind != c.kind || got.Exclusive != c.exclusive {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Each Work owns its own objects. An object that one Work of the placement releases is deleted, unless it has another owner. An object with the disposition
// Ignore in one Work does not belong to another Work of the placement.
func TestHold(t *testing.T) {
	const (
		first  = "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: first, uid: u-first}"
		second = "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: second, uid: u-second}"
		theirs = "{apiVersion: v1, kind: ConfigMap, name: theirs, uid: u-theirs}"
	)
	reference := func(name string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: APIVersion, Kind: AppliedWork, Name: name, UID: types.UID("u-" + name)}
	}
	for name, c := range map[string]struct {
		owners        string
		first         Disposition
		owns, deletes bool
		others        int
	}{
		"it stays":                      {first, Retain, true, false, 0},
		"it moves":                      {first, Release, false, true, 0},
		"it moves, and is shared":       {first + ", " + theirs, Release, false, false, 1},
		"the new one has it as well":    {first + ", " + second, Release, true, false, 0},
		"it moves, and is not released": {first, Ignore, false, false, 1},
		"it has only other owners":      {theirs, Release, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Parse("test", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, ownerReferences: ["+c.owners+"]}}")
			if err != nil {
				t.Fatal(err)
			}
			live := objects[0].Content
			ownership := &Ownership{
				Own: map[string]metav1.OwnerReference{"first": reference("first"), "second": reference("second")},
				Disposition: func(name string, object manifest.Key) Disposition {
					if name == "first" && object == objects[0].Key() {
						return c.first
					}
					return Retain
				},
				WorkExists: func(string) bool { return true },
			}
			owns := ownership.Owns(&memberpreview.Object{Desired: live, Live: live})
			if deletes, others := ownership.Deletes(live), len(ownership.References(live)); owns != c.owns || deletes != c.deletes || others != c.others {
				t.Errorf("owns %t, deletes %t, %d others", owns, deletes, others)
			}
		})
	}
}

// An agent drops the reference to an AppliedWork without a Work when it takes an object over. On an object that it already owns, the reference counts as an
// owner.
func TestReferencesWithoutWork(t *testing.T) {
	owner := func(name string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: APIVersion, Kind: AppliedWork, Name: name, UID: types.UID("u-" + name)}
	}
	ownership := &Ownership{
		Own: map[string]metav1.OwnerReference{"web-work": owner("web-work")}, WorkExists: func(name string) bool { return name == "web-work" },
	}
	for name, c := range map[string]struct {
		owners []metav1.OwnerReference
		want   int
	}{
		"to be taken over": {[]metav1.OwnerReference{owner("gone-work")}, 0},
		"owned already":    {[]metav1.OwnerReference{owner("web-work"), owner("gone-work")}, 1},
	} {
		live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		live.SetOwnerReferences(c.owners)
		if got := ownership.References(live); len(got) != c.want {
			t.Errorf("an object %s has the other owners %v, want %d", name, got, c.want)
		}
	}
}
