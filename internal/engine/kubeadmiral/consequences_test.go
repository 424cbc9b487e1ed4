package kubeadmiral_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// labelledWorld is a placement on the members with the label of its world. member-1 has the label.
type labelledWorld struct {
	*enginetest.World
	engine  *kubeadmiral.Engine
	request enginetest.Request
}

func newLabelled(t *testing.T, placementType placement.PlacementType, when placement.WhenToTakeOver) *labelledWorld {
	t.Helper()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	found := w.Engine()
	connected, is := found.(*kubeadmiral.Engine)
	if !is {
		t.Fatalf("the engine is a %T", found)
	}
	l := &labelledWorld{World: w, engine: connected, request: w.Placing("$ns", kept).Strategy(placement.ApplyStrategy{WhenToTakeOver: when})}
	l.request.Spec.Policy = &placement.Policy{PlacementType: placementType, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
			{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{l.Name: "yes"}}},
		}},
	}}}
	if placementType == placement.PickN {
		l.request.Spec.Policy.NumberOfClusters = new(int32(2))
	}
	l.label("member-1")
	l.request = l.request.After(applied(t, w, l.request).Status)
	return l
}

func (l *labelledWorld) label(name string) {
	l.Edit(l.Env.Hub, "core.kubeadmiral.io/v1alpha1 FederatedCluster "+name, fmt.Sprintf("{metadata: {labels: {%s: 'yes'}}}", l.Name))
}

// changing returns a world in which a member gets the label and the taints.
func (l *labelledWorld) changing(name string, taints ...member.Taint) engine.World {
	live := l.Must(l.Env.Hub, "core.kubeadmiral.io/v1alpha1 FederatedCluster "+name)
	was := member.Spec{Name: name, Labels: live.GetLabels()}
	want := member.Spec{Name: name, Labels: map[string]string{l.Name: "yes"}, Taints: taints}
	maps.Copy(want.Labels, was.Labels)
	return engine.World{Members: map[string]engine.Planned[member.Spec]{name: {Was: &was, Want: &want}}}
}

// consequences returns the effect of a change on the objects of this placement. Other tests place objects on the same members.
func (l *labelledWorld) consequences(change engine.World, expected engine.Expectations) (engine.Consequence, map[string]string) {
	l.Helper()
	found, err := l.engine.PreviewChange(l.Context(), change, expected)
	if err != nil {
		l.Fatal(err)
	}
	actions := map[string]string{}
	var out engine.Consequence
	for _, c := range found {
		if c.Placement != l.request.Name {
			continue
		}
		if c.Err != nil {
			l.Fatal(c.Err)
		}
		out = c
		for _, cluster := range c.Preview.Clusters {
			for _, o := range cluster.Objects {
				actions[cluster.Name+" "+o.Name] = string(o.Action)
			}
		}
	}
	return out, actions
}

func (l *labelledWorld) expect(want map[string]string, change engine.World) {
	l.Helper()
	_, got := l.consequences(change, nil)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		l.Error(diff)
	}
}

// TestConsequencesOfMember checks that the preview of changed labels and taints of a member shows the effects on existing placements, and that the change has
// these effects.
func TestConsequencesOfMember(t *testing.T) {
	t.Parallel()
	l := newLabelled(t, placement.PickAll, placement.TakeOverAlways)
	change := l.changing("member-2")
	l.expect(map[string]string{"member-2 kept": "create"}, change)
	shown, _ := l.consequences(change, nil)
	expected := engine.Expectations{shown.Placement: engine.Expect(shown.Preview)}

	l.Put("member-2", strings.ReplaceAll(kept, "{name: kept", "{labels: {theirs: a}, name: kept"))
	l.expect(map[string]string{"member-2 kept": "take_over"}, change)
	found, _ := l.consequences(change, expected)
	if err := expected.Verify([]engine.Consequence{found}); err == nil || !strings.Contains(err.Error(), "did not show the takeover") {
		t.Errorf("an object has appeared: %v", err)
	}

	l.expect(nil, l.changing("member-1"))
	l.expect(nil, l.changing("member-1", member.Taint{Key: l.Name, Effect: placement.NoSchedule}))
	l.expect(map[string]string{"member-1 kept": "prune"}, l.changing("member-1", member.Taint{Key: l.Name, Effect: "NoExecute"}))
	remains, got := l.consequences(leavingFleet("member-1"), nil)
	if diff := cmp.Diff(map[string]string{"member-1 kept": "orphan"}, got); diff != "" {
		t.Error(diff)
	}
	l.Contains(remains.Preview.Clusters[0].Objects[0].Problem, "the label kubeadmiral.io/managed remains")

	l.label("member-2")
	l.Eventually("the object is taken over", func() bool { return dispatch.Managed(l.Must("member-2", "v1 ConfigMap $ns/kept")) })
	if _, got := l.consequences(l.changing("member-2"), engine.Expectations{}); len(got) > 0 { // with expectations, the preview does not use earlier reads
		t.Errorf("a member that has the label changes %v", got)
	}
}

// TestConsequencesOfJoiningMember checks that the preview of a member that joins shows which of its Namespaces the host takes over. The member is the host
// itself, on which the Namespaces do not have KubeAdmiral's label. A Namespace of which the host has no FederatedObject yet is taken over too.
func TestConsequencesOfJoiningMember(t *testing.T) {
	t.Parallel()
	l := newLabelled(t, placement.PickAll, placement.TakeOverNever)
	clients := l.Connect(enginetest.Access{})
	clients.Members["joining"] = clients.Hub
	e, is := l.Fleet.Subject.New(clients).(engine.Consequences)
	if !is {
		t.Fatal("the engine shows no consequences")
	}
	joining := func(name string) engine.World {
		return engine.World{Members: map[string]engine.Planned[member.Spec]{name: {Want: &member.Spec{Name: name}}}}
	}
	namespaces := func(change engine.World, expected engine.Expectations) (out []engine.Consequence, names []string) {
		found, err := e.PreviewChange(t.Context(), change, expected)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			if c.Err != nil {
				t.Fatal(c.Placement, c.Err)
			}
			if c.Placement != engine.HostNamespaces {
				continue
			}
			out = append(out, c)
			for _, o := range c.Preview.Clusters[0].Objects {
				if strings.HasPrefix(o.Name, l.Name) || o.Name == "default" {
					names = append(names, o.Name+" "+string(o.Action))
				}
			}
		}
		return out, names
	}
	l.Put(l.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-excluded, annotations: {kubeadmiral.io/no-federated-resource: 'true'}}}")
	l.Put(l.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-new}}")
	shown, names := namespaces(joining("joining"), nil)
	if diff := cmp.Diff([]string{l.Name + " take_over", l.Name + "-new take_over"}, names); diff != "" {
		t.Error(diff)
	}
	for want, expected := range map[string]engine.Expectations{
		"":                          {engine.HostNamespaces: engine.Expect(shown[0].Preview)},
		"did not show the takeover": {},
	} {
		found, _ := namespaces(joining("joining"), expected)
		err := expected.Verify(found)
		if err != nil && strings.Contains(err.Error(), l.Name) && want == "" || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if found, _ := namespaces(joining("member-1"), nil); len(found) > 0 {
		t.Errorf("a member that has joined: %v", found)
	}
	l.Edit(l.Env.Hub, "v1 Namespace $ns", "{metadata: {labels: {kubeadmiral.io/managed: 'false'}}}")
	_, names = namespaces(joining("joining"), nil)
	if diff := cmp.Diff([]string{l.Name + "-new take_over"}, names); diff != "" {
		t.Errorf("a Namespace that opts out: %s", diff)
	}
}

// leavingFleet returns a world in which a member is removed.
func leavingFleet(name string) engine.World {
	return engine.World{Members: map[string]engine.Planned[member.Spec]{name: {Was: &member.Spec{Name: name}}}}
}

// TestNoConsequencesOfMember checks that the preview of a change does not show an object as changed if the host does not change it.
func TestNoConsequencesOfMember(t *testing.T) {
	t.Parallel()
	t.Run("a number of clusters", func(t *testing.T) {
		t.Parallel()
		l := newLabelled(t, placement.PickN, placement.TakeOverAlways)
		l.expect(nil, l.changing("member-2"))
		l.expect(map[string]string{"member-1 kept": "orphan"}, leavingFleet("member-1"))
	})
	t.Run("nothing is taken over", func(t *testing.T) {
		t.Parallel()
		l := newLabelled(t, placement.PickAll, placement.TakeOverNever)
		l.Put("member-2", kept)
		l.expect(map[string]string{"member-2 kept": "leave_alone"}, l.changing("member-2"))
	})
}

// TestConsequencesOfCascadingDelete checks that the preview of a removed member with the annotation for cascading deletion shows the objects and the
// Namespaces that KubeAdmiral deletes there, and not those that it keeps.
func TestConsequencesOfCascadingDelete(t *testing.T) { //nolint:paralleltest // the annotation changes what the previews of other tests show
	l := newLabelled(t, placement.PickAll, placement.TakeOverAlways)
	l.Put("member-2", kept)
	l.label("member-2")
	l.Eventually("the object is taken over", func() bool { return dispatch.Managed(l.Must("member-2", "v1 ConfigMap $ns/kept")) })
	l.Put(l.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-created}}")
	l.Eventually("the Namespaces are on the member", func() bool {
		created := l.Find("member-1", "v1 Namespace $ns-created")
		return created != nil && dispatch.Managed(created) && dispatch.Adopted(l.Must("member-1", "v1 Namespace $ns"))
	})
	cascade := func(value string) {
		for _, name := range []string{"member-1", "member-2"} {
			l.Edit(l.Env.Hub, "core.kubeadmiral.io/v1alpha1 FederatedCluster "+name, "{metadata: {annotations: {kubeadmiral.io/cascading-delete: "+value+"}}}")
		}
	}
	cascade("'false'") // any value enables it
	defer cascade("null")
	namespaces := func(change engine.World, expected engine.Expectations) (engine.Consequence, []string) {
		found, err := l.engine.PreviewChange(l.Context(), change, expected)
		if err != nil {
			t.Fatal(err)
		}
		var out engine.Consequence
		var names []string
		for _, c := range found {
			if c.Placement != engine.HostNamespaces {
				continue
			}
			out = c
			for _, o := range c.Preview.Clusters[0].Objects {
				if strings.HasPrefix(o.Name, l.Name) || strings.HasPrefix(o.Name, "kube-") {
					names = append(names, o.Name+" "+string(o.Action))
				}
			}
		}
		return out, names
	}
	l.expect(map[string]string{"member-1 kept": "prune"}, leavingFleet("member-1"))
	l.expect(map[string]string{"member-2 kept": "orphan"}, leavingFleet("member-2"))
	shown, names := namespaces(leavingFleet("member-1"), engine.Expectations{})
	if diff := cmp.Diff([]string{l.Name + "-created prune"}, names); diff != "" {
		t.Error(diff)
	}
	if err := (engine.Expectations{}).Verify([]engine.Consequence{shown}); err == nil {
		t.Error("an apply deletes Namespaces that its plan did not show")
	}
	expected := engine.Expectations{engine.HostNamespaces: engine.Expect(shown.Preview)}
	if err := expected.Verify([]engine.Consequence{shown}); err != nil {
		t.Error(err)
	}
}
