package kubefleet_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// consequence is a change of an object that a placement of the Namespace of the world depends on. The envelope there has the quota "a".
type consequence struct {
	strategy placement.ApplyStrategy // when_to_take_over is Always if it is empty
	policy   func(d *depending) *placement.Policy
	// before is called before the placement is applied. foreign is called after the apply, and changes objects on the members as another client would.
	before, foreign func(d *depending)
	change          func(d *depending) carriedChange
	// want are the changes of objects by member and object.
	want map[string]string
	// unnoticed reports that a hub does not act on the change until it has another reason to update the placement.
	unnoticed bool
}

// carriedChange is a change with the writes that carry it out.
type carriedChange struct {
	world engine.World
	write func() error
}

// putEnvelopes changes envelopes.
func (d *depending) putEnvelopes(specs ...envelope.Spec) carriedChange {
	out := carriedChange{world: engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{}}}
	for _, spec := range specs {
		out.world.Envelopes[engine.Reference{Namespace: spec.Namespace, Name: spec.Name}] = engine.Planned[envelope.Spec]{Want: &spec}
	}
	out.write = func() error {
		for _, spec := range specs {
			prior := &d.kept
			if spec.Name != d.Name {
				prior = nil
			}
			if _, err := d.engine.ApplyEnvelope(d.Context(), spec, prior); err != nil {
				return err
			}
		}
		return nil
	}
	return out
}

// envelopeWith returns the envelope with a different quota "a".
func (d *depending) envelopeWith(pods int, names ...string) envelope.Spec {
	out := d.enveloping(names...)
	out.Manifests["a.yaml"] = fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {pods: '%d'}}}", pods)
	return out
}

func (d *depending) putOverride(o engine.Override) carriedChange {
	return carriedChange{
		world: engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{o.Reference: {Want: &o}}},
		write: func() error {
			d.Cleanup(func() {
				if err := d.engine.DeleteOverride(context.Background(), o); err != nil {
					d.Error(err)
				}
			})
			_, err := d.engine.ApplyOverride(d.Context(), o, nil)
			return err
		},
	}
}

// carryOut writes a change.
func (d *depending) carryOut(c carriedChange) {
	d.Helper()
	if err := c.write(); err != nil {
		d.Fatal(err)
	}
}

// overriding returns an override of an object in the Namespace of the world.
func (d *depending) overriding(kind, name string, rule override.Rule) engine.Override {
	if rule.ClusterSelector == nil {
		rule.ClusterSelector = &override.ClusterSelector{}
	}
	return engine.Override{Reference: override.Reference{Namespace: d.Name, Name: name}, Namespaced: &override.Spec{
		Placement:         &override.PlacementReference{Name: d.Name},
		ResourceSelectors: []override.Selector{{Version: "v1", Kind: kind, Name: name}},
		Policy:            &override.Policy{OverrideRules: []override.Rule{rule}},
	}}
}

var deleting = override.Rule{OverrideType: override.Delete}

func replacing(path, value string) override.Rule {
	return override.Rule{JSONPatchOverrides: []override.Patch{{Operation: "replace", Path: path, Value: []byte(value)}}}
}

// terms selects the members with the label of the world.
func (d *depending) terms() []placement.ClusterSelectorTerm {
	return []placement.ClusterSelectorTerm{{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{d.Name: "yes"}}}}
}

// label changes the label of the world on a member.
func (d *depending) label(name, value string) carriedChange {
	const memberCluster = "cluster.kubernetes-fleet.io/v1beta1 MemberCluster "
	was := member.Spec{Name: name, Labels: d.Must(d.Env.Hub, memberCluster+name).GetLabels()}
	want := member.Spec{Name: name, Labels: map[string]string{d.Name: value}}
	for key, value := range was.Labels {
		if key != d.Name {
			want.Labels[key] = value
		}
	}
	return carriedChange{
		world: engine.World{Members: map[string]engine.Planned[member.Spec]{name: {Want: &want, Was: &was}}},
		write: func() error {
			d.Edit(d.Env.Hub, memberCluster+name, fmt.Sprintf("{metadata: {labels: {%s: %q}}}", d.Name, value))
			return nil
		},
	}
}

// labelled returns a policy that picks the members with the label of the world.
func labelled(placementType placement.PlacementType) func(d *depending) *placement.Policy {
	return func(d *depending) *placement.Policy {
		out := &placement.Policy{PlacementType: placementType, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
			Required: &placement.ClusterSelector{ClusterSelectorTerms: d.terms()},
		}}}
		if placementType == placement.PickN {
			out.NumberOfClusters = new(int32(2))
		}
		return out
	}
}

var consequences = map[string]consequence{
	"envelope, another object": {
		foreign: func(d *depending) { d.planting("member-2", "b") },
		change:  func(d *depending) carriedChange { return d.putEnvelopes(d.enveloping("a", "b")) },
		want:    map[string]string{"member-1 b": "create", "member-2 b": "take_over"},
	},
	"envelope, nothing is taken over": {
		strategy: placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever},
		foreign:  func(d *depending) { d.planting("member-2", "b") },
		change:   func(d *depending) carriedChange { return d.putEnvelopes(d.enveloping("a", "b")) },
		want:     map[string]string{"member-1 b": "create"},
	},
	"envelope, taken over without differences": {
		strategy: placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff},
		foreign: func(d *depending) {
			d.planting("member-1", "b")
			d.Edit("member-1", "v1 ResourceQuota b", "{spec: {hard: {pods: '5'}}}")
			d.planting("member-2", "b")
		},
		change: func(d *depending) carriedChange { return d.putEnvelopes(d.enveloping("a", "b")) },
		want:   map[string]string{"member-1 b": "take_over"},
	},
	"envelope, one object instead of another": {
		change: func(d *depending) carriedChange { return d.putEnvelopes(d.enveloping("b")) },
		want:   map[string]string{"member-1 a": "prune", "member-1 b": "create", "member-2 a": "prune", "member-2 b": "create"},
	},
	"envelope, another content": {
		foreign: func(d *depending) { d.Edit("member-2", "v1 ResourceQuota a", "{metadata: {labels: {team: theirs}}}") },
		change:  func(d *depending) carriedChange { return d.putEnvelopes(d.envelopeWith(6)) },
		want:    map[string]string{"member-1 a": "update", "member-2 a": "update"},
	},
	"envelope, another file name": {
		change: func(d *depending) carriedChange {
			spec := d.enveloping()
			spec.Manifests["z.yaml"] = quota("a")
			return d.putEnvelopes(spec)
		},
	},
	"envelope, one object is rejected": {
		change: func(d *depending) carriedChange {
			spec := d.enveloping("a", "c")
			spec.Manifests["b.yaml"] = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: b}, spec: {hard: {pods: many}}}"
			return d.putEnvelopes(spec)
		},
		want: map[string]string{"member-1 c": "create", "member-2 c": "create"},
	},
	"envelope, a drifted object": {
		strategy: placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted},
		foreign:  func(d *depending) { d.Edit("member-2", "v1 ResourceQuota a", "{spec: {hard: {pods: '9'}}}") },
		change:   func(d *depending) carriedChange { return d.putEnvelopes(d.envelopeWith(6, "b")) },
		want:     map[string]string{"member-1 a": "update", "member-1 b": "create", "member-2 a": "update", "member-2 b": "create"},
	},
	"envelope, an object moves to another": {
		change: func(d *depending) carriedChange {
			other := d.enveloping("a")
			other.Name = "other"
			return d.putEnvelopes(other, d.enveloping("b"))
		},
		want: map[string]string{"member-1 a": "replace", "member-1 b": "create", "member-2 a": "replace", "member-2 b": "create"},
	},
	"envelope, together with an override": {
		before: func(d *depending) { d.carryOut(d.label("member-2", "yes")) },
		change: func(d *depending) carriedChange {
			rule := override.Rule{OverrideType: override.Delete, ClusterSelector: &override.ClusterSelector{ClusterSelectorTerms: d.terms()}}
			first, second := d.putOverride(d.overriding("ResourceQuota", "b", rule)), d.putEnvelopes(d.enveloping("a", "b"))
			second.world.Overrides = first.world.Overrides
			return carriedChange{world: second.world, write: func() error {
				d.carryOut(first)
				return second.write()
			}}
		},
		want: map[string]string{"member-1 b": "create"},
	},
	"envelope, removed": {
		change: func(d *depending) carriedChange {
			return carriedChange{world: d.enveloped(nil), write: func() error { return d.engine.DeleteEnvelope(d.Context(), d.kept) }}
		},
		want: map[string]string{"member-1 a": "prune", "member-2 a": "prune"},
	},
	"override, of a Namespace": {
		change: func(d *depending) carriedChange {
			rule := override.Rule{OverrideType: override.Delete, ClusterSelector: &override.ClusterSelector{}}
			return d.putOverride(engine.Override{Reference: override.Reference{Name: d.Name}, Cluster: &override.ClusterSpec{
				Placement:                &override.PlacementReference{Name: d.Name},
				ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: d.Name}},
				Policy:                   &override.Policy{OverrideRules: []override.Rule{rule}},
			}})
		},
		want: map[string]string{
			"member-1 $ns": "prune", "member-1 a": "prune", "member-1 settings": "prune",
			"member-2 $ns": "prune", "member-2 a": "prune", "member-2 settings": "prune",
		},
	},
	"override, another content": {
		change: func(d *depending) carriedChange {
			return d.putOverride(d.overriding("ConfigMap", "settings", replacing("/data/greeting", `"hi"`)))
		},
		want: map[string]string{"member-1 settings": "update", "member-2 settings": "update"},
	},
	"override, of an object in an envelope": {
		change: func(d *depending) carriedChange {
			return d.putOverride(d.overriding("ResourceQuota", "a", replacing("/spec/hard/pods", `"7"`)))
		},
		want: map[string]string{"member-1 a": "update", "member-2 a": "update"},
	},
	"override, deletes": {
		change: func(d *depending) carriedChange {
			return d.putOverride(d.overriding("ConfigMap", "settings", deleting))
		},
		want: map[string]string{"member-1 settings": "prune", "member-2 settings": "prune"},
	},
	"override, fails": {
		change: func(d *depending) carriedChange {
			return d.putOverride(d.overriding("ConfigMap", "settings", replacing("/data/nothing/of/it", `"hi"`)))
		},
	},
	"override, names no placement": {
		change: func(d *depending) carriedChange {
			o := d.overriding("ConfigMap", "settings", deleting)
			o.Namespaced.Placement = nil
			return d.putOverride(o)
		},
		want:      map[string]string{"member-1 settings": "prune", "member-2 settings": "prune"},
		unnoticed: true,
	},
	"override, removed": {
		before:  func(d *depending) { d.carryOut(d.putOverride(d.overriding("ConfigMap", "settings", deleting))) },
		foreign: func(d *depending) { d.Put("member-2", settings) },
		change: func(d *depending) carriedChange {
			o := d.overriding("ConfigMap", "settings", deleting)
			return carriedChange{
				world: engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{o.Reference: {Was: &o}}},
				write: func() error { return d.engine.DeleteOverride(d.Context(), o) },
			}
		},
		want: map[string]string{"member-1 settings": "create", "member-2 settings": "take_over"},
	},
	"member, picked by its label": {
		policy:  labelled(placement.PickAll),
		before:  func(d *depending) { d.carryOut(d.label("member-1", "yes")) },
		foreign: func(d *depending) { d.planting("member-2", "a") },
		change:  func(d *depending) carriedChange { return d.label("member-2", "yes") },
		want:    map[string]string{"member-2 $ns": "take_over", "member-2 a": "take_over", "member-2 settings": "create"},
	},
	"member, one of a number": {
		policy: labelled(placement.PickN),
		before: func(d *depending) { d.carryOut(d.label("member-1", "yes")) },
		change: func(d *depending) carriedChange { return d.label("member-2", "yes") },
		want:   map[string]string{"member-2 $ns": "take_over", "member-2 a": "create", "member-2 settings": "create"},
	},
	"member, remains picked": {
		policy: labelled(placement.PickAll),
		before: func(d *depending) { d.carryOut(d.label("member-1", "yes")); d.carryOut(d.label("member-2", "yes")) },
		change: func(d *depending) carriedChange { return d.label("member-2", "no") },
	},
	"member, selected by an override": {
		before: func(d *depending) {
			rule := override.Rule{OverrideType: override.Delete, ClusterSelector: &override.ClusterSelector{ClusterSelectorTerms: d.terms()}}
			d.carryOut(d.putOverride(d.overriding("ConfigMap", "settings", rule)))
		},
		change:    func(d *depending) carriedChange { return d.label("member-2", "yes") },
		want:      map[string]string{"member-2 settings": "prune"},
		unnoticed: true,
	},
}

// TestConsequencesComeTrue carries out changes after their previews, and checks that exactly the objects in the previews change on the members.
func TestConsequencesComeTrue(t *testing.T) {
	t.Parallel()
	brief := map[string]bool{"envelope, another object": true, "override, names no placement": true, "member, selected by an override": true}
	for name, c := range consequences {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !brief[name] {
				t.Skip("make test-all runs it")
			}
			c.comesTrue(t)
		})
	}
}

func (c consequence) comesTrue(t *testing.T) {
	d := newDependingOn(t, func(d *depending) {
		d.Put(d.Env.Hub, settings)
		if c.strategy.WhenToTakeOver != "" || c.strategy.WhenToApply != "" {
			d.request.Spec.Strategy.ApplyStrategy = &c.strategy
		}
		if c.policy != nil {
			d.request.Spec.Policy = c.policy(d)
		}
		if c.before != nil {
			c.before(d)
		}
	})
	if c.foreign != nil {
		c.foreign(d)
	}
	change, before := c.change(d), d.objects()
	shown, want := map[string]string{}, map[string]string{}
	for at, action := range actions(d.consequences(change.world, nil)) {
		if takeover.Action(action).Writes() {
			shown[at[len(d.Name)+1:]] = action
		}
	}
	for at, action := range c.want {
		want[d.Expand(at)] = action
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the preview (-want +shown):\n%s", diff)
	}
	d.carryOut(change)
	if !c.unnoticed {
		d.become(before, want)
		return
	}
	d.become(before, nil)
	d.Put(d.Env.Hub, "{apiVersion: v1, kind: ConfigMap, metadata: {name: later, namespace: $ns}}")
	maps.Copy(want, map[string]string{"member-1 later": "create", "member-2 later": "create"})
	d.become(before, want)
}

// objects returns the objects of the world on the members.
func (d *depending) objects() map[string]*unstructured.Unstructured {
	d.Helper()
	out := map[string]*unstructured.Unstructured{}
	for _, name := range d.Members {
		for _, kind := range []string{"ConfigMap", "ResourceQuota"} {
			found, err := d.On(name).List(d.Context(), "v1", kind, d.Name, "")
			if err != nil {
				d.Fatal(err)
			}
			for _, u := range found {
				if u.GetName() != "kube-root-ca.crt" { // every Namespace gets it
					out[name+" "+u.GetName()] = &u
				}
			}
		}
		if u := d.Find(name, "v1 Namespace $ns"); u != nil {
			out[name+" "+d.Name] = u
		}
	}
	return out
}

// become waits until objects have changed as wanted, and checks that they remain unchanged until the fake has nothing more to do, or for a few seconds on a
// real hub.
func (d *depending) become(before map[string]*unstructured.Unstructured, want map[string]string) {
	d.Helper()
	const calm = 5 * time.Second
	var since time.Time
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		diff := cmp.Diff(want, d.changes(before), cmpopts.EquateEmpty())
		switch {
		case diff != "" && time.Now().After(deadline):
			d.Errorf("the members (-want +happened):\n%s", diff)
			return
		case diff != "":
			since = time.Time{}
		case since.IsZero() && agents != nil:
			if err := agents.Rest(d.Context(), d.Name); err != nil {
				d.Fatal(err)
			}
			since = time.Now().Add(-calm)
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > calm:
			return
		}
	}
}

// changes returns the changes of objects in the terms of a preview.
func (d *depending) changes(before map[string]*unstructured.Unstructured) map[string]string {
	d.Helper()
	out, now := map[string]string{}, d.objects()
	for at, is := range now {
		switch was := before[at]; {
		case was == nil:
			out[at] = "create"
		case was.GetUID() != is.GetUID():
			out[at] = "replace"
		case !d.Fleet.Subject.Marked(was) && d.Fleet.Subject.Marked(is):
			out[at] = "take_over"
		case fmt.Sprint(was.Object["spec"], was.Object["data"]) != fmt.Sprint(is.Object["spec"], is.Object["data"]):
			out[at] = "update"
		}
	}
	for at := range before {
		if now[at] == nil {
			out[at] = "prune"
		}
	}
	return out
}
