package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// State is how far a binding is.
type State string

// The states of KubeFleet's bindings.
const (
	// Scheduled bindings are picked and not yet released to the cluster, Bound ones are; Unscheduled ones wait to be removed.
	Scheduled   State = "Scheduled"
	Bound       State = "Bound"
	Unscheduled State = "Unscheduled"
)

// Values lists the states.
func (State) Values() []string { return []string{"Scheduled", "Bound", "Unscheduled"} }

// Binding is one pair of a placement and a cluster that exists already.
type Binding struct {
	// Name orders bindings; left out, they are ordered as if they had been named by the scheduler.
	Name    string `json:"name,omitempty"`
	Cluster string `json:"cluster"`
	State   State  `json:"state"`
	// PreviousState is what an unscheduled binding was before, and what it becomes again if its cluster is picked.
	PreviousState State `json:"previousState,omitempty"`
	// Obsolete tells that it was picked under another policy than the present one. The number of clusters does not make another policy.
	Obsolete bool `json:"obsolete,omitempty"`
	// Deleting tells that it has a deletionTimestamp.
	Deleting bool `json:"deleting,omitempty"`
	// Score and Reason are those of the decision it was picked by; nil and empty if they are not known.
	Score  *Score `json:"clusterScore,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Action is what a scheduling run does with a binding.
type Action string

// The actions.
const (
	// Create makes a new binding, in state Scheduled.
	Create Action = "Create"
	// Keep leaves a binding as it is.
	Keep Action = "Keep"
	// Restamp puts an obsolete binding under the present policy, in the state it has.
	Restamp Action = "Restamp"
	// Restore gives an unscheduled binding its previous state again.
	Restore Action = "Restore"
	// Unschedule marks a binding for removal.
	Unschedule Action = "Unschedule"
	// Release lets go of a binding that is being deleted.
	Release Action = "Release"
)

// Values lists the actions.
func (Action) Values() []string {
	return []string{"Create", "Keep", "Restamp", "Restore", "Unschedule", "Release"}
}

// BindingOutcome is a binding as it is after a run.
type BindingOutcome struct {
	Binding
	Action Action `json:"action"`
}

// tracked is a binding during a run.
type tracked struct {
	Binding
	key     string
	cluster int // its index, -1 for a cluster that does not exist
	began   State
	action  Action
}

// classes are bindings by what they mean for the run (KubeFleet, classifyBindings), each by name.
type classes struct {
	bound, scheduled, obsolete, unscheduled, dangling, deleting []*tracked
}

func (s *scheduler) track(bindings []Binding) error {
	for _, b := range bindings {
		if err := validBinding(b); err != nil {
			return err
		}
		s.bindings = append(s.bindings, &tracked{Binding: b, key: s.bindingKey(b), cluster: s.find(b.Cluster), began: b.State, action: Keep})
	}
	slices.SortFunc(s.bindings, compareTracked)
	s.given = slices.Clone(s.bindings)
	return nil
}

func validBinding(b Binding) error {
	where := fmt.Sprintf("binding %q", b.Name)
	if !slices.Contains(b.State.Values(), string(b.State)) {
		return &Error{Cluster: b.Cluster, Where: where, Err: fmt.Errorf("the state %q is not one of %s", b.State,
			strings.Join(b.State.Values(), ", "))}
	}
	if p := b.PreviousState; p != "" && p != Scheduled && p != Bound {
		return &Error{Cluster: b.Cluster, Where: where, Err: fmt.Errorf("the previous state %q is not one of Scheduled, Bound", p)}
	}
	return nil
}

// Lengths of the parts of a binding's name (pkg/scheduler/framework/uniquename of KubeFleet). A random suffix follows.
const (
	placementPart = 26
	clusterPart   = 27
)

// bindingKey is the name of a binding as far as it is known.
func (s *scheduler) bindingKey(b Binding) string {
	if b.Name != "" || s.placement == "" {
		return cmp.Or(b.Name, b.Cluster)
	}
	return s.placement[:min(len(s.placement), placementPart)] + "-" + b.Cluster[:min(len(b.Cluster), clusterPart)] + "-"
}

// compareTracked leaves no two bindings that differ in the order in which they came.
func compareTracked(a, b *tracked) int {
	return cmp.Or(
		cmp.Compare(a.key, b.key), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.State, b.State),
		compareBool(a.Obsolete, b.Obsolete), compareBool(a.Deleting, b.Deleting), cmp.Compare(a.PreviousState, b.PreviousState),
		compareScore(a.Score, b.Score), cmp.Compare(a.Reason, b.Reason),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// classify sorts the bindings into classes, the first that fits. Whether a cluster is healthy plays no part.
func (s *scheduler) classify() {
	c := &s.classes
	for _, list := range []*[]*tracked{&c.bound, &c.scheduled, &c.obsolete, &c.unscheduled, &c.dangling, &c.deleting} {
		*list = (*list)[:0]
	}
	for _, b := range s.bindings {
		list := &c.bound
		switch {
		case b.Deleting:
			list = &c.deleting
		case b.State == Unscheduled:
			list = &c.unscheduled
		case b.cluster < 0 || s.clusters[b.cluster].Leaving:
			list = &c.dangling
		case b.Obsolete:
			list = &c.obsolete
		case b.State == Scheduled:
			list = &c.scheduled
		}
		*list = append(*list, b)
	}
}

// letGo does what every run does first, whatever comes of it: bindings that are being deleted are let go of, and those to a cluster that is
// gone or leaving are marked for removal.
func (s *scheduler) letGo() {
	for _, b := range s.classes.deleting {
		b.action = Release
	}
	for _, b := range s.classes.dangling {
		b.unschedule()
	}
}

func (b *tracked) unschedule() {
	b.PreviousState, b.State, b.action = b.State, Unscheduled, Unschedule
}

// stamp puts a binding under the present policy, and gives an unscheduled one its previous state again.
func (b *tracked) stamp(d Decision) {
	b.action = Restamp
	if b.State == Unscheduled {
		b.State, b.PreviousState = b.PreviousState, ""
		// What was unscheduled by an earlier cycle of the same run has, all in all, only been re-stamped.
		if b.began == Unscheduled {
			b.action = Restore
		}
	}
	b.Obsolete, b.Score, b.Reason = false, d.Score, d.Reason
}

// create adds a new binding.
func (s *scheduler) create(cluster int, d Decision) *tracked {
	b := &tracked{
		Binding: Binding{Cluster: d.Cluster, State: Scheduled, Score: d.Score, Reason: d.Reason},
		cluster: cluster, began: Scheduled, action: Create,
	}
	b.key = s.bindingKey(b.Binding)
	s.created = append(s.created, b)
	at, _ := slices.BinarySearchFunc(s.bindings, b, compareTracked)
	s.bindings = slices.Insert(s.bindings, at, b)
	return b
}

// held tells of every cluster whether a binding under the present policy is there.
func (s *scheduler) held() []bool {
	out := make([]bool, len(s.clusters))
	for _, list := range [][]*tracked{s.classes.bound, s.classes.scheduled} {
		for _, b := range list {
			out[b.cluster] = true
		}
	}
	return out
}

func (s *scheduler) bindingOutcomes() []BindingOutcome {
	out := make([]BindingOutcome, 0, len(s.bindings))
	for _, list := range [][]*tracked{s.given, s.created} {
		for _, b := range list {
			out = append(out, BindingOutcome{Binding: b.Binding, Action: b.action})
		}
	}
	return out
}
