package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// State is the state of a binding.
type State string

// The states of KubeFleet's bindings.
const (
	// A Scheduled binding is not yet rolled out to its cluster. A Bound binding is rolled out. An Unscheduled binding waits for its removal.
	Scheduled   State = "Scheduled"
	Bound       State = "Bound"
	Unscheduled State = "Unscheduled"
)

// Values lists the states.
func (State) Values() []string { return []string{"Scheduled", "Bound", "Unscheduled"} }

// Binding is KubeFleet's binding of a placement to a cluster.
type Binding struct {
	// Name orders the bindings. A binding without a name is ordered by the name that the scheduler would give it.
	Name    string `json:"name,omitempty"`
	Cluster string `json:"cluster"`
	State   State  `json:"state"`
	// PreviousState is the state that an Unscheduled binding had before. It is restored if the cluster is picked again.
	PreviousState State `json:"previousState,omitempty"`
	// Obsolete reports that the binding was picked under an earlier policy. A policy that differs only in the number of clusters is the same policy.
	Obsolete bool `json:"obsolete,omitempty"`
	// Deleting reports that the binding has a deletionTimestamp.
	Deleting bool `json:"deleting,omitempty"`
	// Score and Reason are those of the decision that picked the binding; nil and empty if they are unknown.
	Score  *Score `json:"clusterScore,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Action is what a scheduling run does with a binding.
type Action string

const (
	// Create creates a binding in state Scheduled.
	Create Action = "Create"
	// Keep does not change the binding.
	Keep Action = "Keep"
	// Restamp assigns an obsolete binding to the current policy and keeps its state.
	Restamp Action = "Restamp"
	// Restore returns an unscheduled binding to its previous state.
	Restore Action = "Restore"
	// Unschedule marks a binding for removal.
	Unschedule Action = "Unschedule"
	// Release removes the finalizer from a binding that is being deleted.
	Release Action = "Release"
)

// Values lists the actions.
func (Action) Values() []string {
	return []string{"Create", "Keep", "Restamp", "Restore", "Unschedule", "Release"}
}

// BindingOutcome is a binding after a scheduling run.
type BindingOutcome struct {
	Binding
	Action Action `json:"action"`
}

type trackedBinding struct {
	Binding
	key          string
	cluster      int // index of the cluster, or -1 if it does not exist
	initialState State
	action       Action
}

// classes groups the bindings by their role in the run (KubeFleet, classifyBindings). Each list is sorted by name.
type classes struct {
	bound, scheduled, obsolete, unscheduled, dangling, deleting []*trackedBinding
}

func (s *scheduler) trackBindings(bindings []Binding) error {
	for _, b := range bindings {
		if err := validateBinding(b); err != nil {
			return err
		}
		s.bindings = append(s.bindings, &trackedBinding{Binding: b, key: s.bindingKey(b), cluster: s.findCluster(b.Cluster), initialState: b.State, action: Keep})
	}
	slices.SortFunc(s.bindings, compareBindings)
	s.existing = slices.Clone(s.bindings)
	return nil
}

func validateBinding(b Binding) error {
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

// Maximum lengths in bytes of the parts of a binding's name (pkg/scheduler/framework/uniquename of KubeFleet).
const (
	MaxPlacementPart = 26
	maxClusterPart   = 27
)

// BindingPrefix returns the name of a new binding in KubeFleet, without the random suffix of 8 characters. The name of a binding must be a DNS label. If it
// is not, for example because one of the parts has a dot, KubeFleet's cycle fails.
func BindingPrefix(placement, cluster string) string {
	return placement[:min(len(placement), MaxPlacementPart)] + "-" + cluster[:min(len(cluster), maxClusterPart)] + "-"
}

// bindingKey returns the name of a binding. For a binding without a name, it returns the prefix of its future name, or the name of the cluster if the
// placement has no name.
func (s *scheduler) bindingKey(b Binding) string {
	if b.Name != "" || s.placement == "" {
		return cmp.Or(b.Name, b.Cluster)
	}
	return BindingPrefix(s.placement, b.Cluster)
}

// compareBindings defines a total order, so that the result does not depend on the order of the input.
func compareBindings(a, b *trackedBinding) int {
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

// classify assigns each binding to the first class that fits. The health of a cluster is irrelevant.
func (s *scheduler) classify() {
	c := &s.classes
	for _, list := range []*[]*trackedBinding{&c.bound, &c.scheduled, &c.obsolete, &c.unscheduled, &c.dangling, &c.deleting} {
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

// releaseBindings releases bindings that are being deleted, and unschedules bindings to clusters that do not exist or are leaving. Each run does this
// first, even if it fails later.
func (s *scheduler) releaseBindings() {
	for _, b := range s.classes.deleting {
		b.action = Release
	}
	for _, b := range s.classes.dangling {
		b.unschedule()
	}
}

func (b *trackedBinding) unschedule() {
	b.PreviousState, b.State, b.action = b.State, Unscheduled, Unschedule
}

func (b *trackedBinding) restamp(d Decision) {
	b.action = Restamp
	if b.State == Unscheduled {
		b.State, b.PreviousState = b.PreviousState, ""
		// If an earlier cycle of the same run unscheduled the binding, the run as a whole has only re-stamped it.
		if b.initialState == Unscheduled {
			b.action = Restore
		}
	}
	b.Obsolete, b.Score, b.Reason = false, d.Score, d.Reason
}

func (s *scheduler) createBinding(cluster int, d Decision) *trackedBinding {
	b := &trackedBinding{
		Binding: Binding{Cluster: d.Cluster, State: Scheduled, Score: d.Score, Reason: d.Reason},
		cluster: cluster, initialState: Scheduled, action: Create,
	}
	b.key = s.bindingKey(b.Binding)
	s.created = append(s.created, b)
	at, _ := slices.BinarySearchFunc(s.bindings, b, compareBindings)
	s.bindings = slices.Insert(s.bindings, at, b)
	return b
}

func (s *scheduler) findClustersWithBinding() []bool {
	out := make([]bool, len(s.clusters))
	for _, list := range [][]*trackedBinding{s.classes.bound, s.classes.scheduled} {
		for _, b := range list {
			out[b.cluster] = true
		}
	}
	return out
}

func (s *scheduler) bindingOutcomes() []BindingOutcome {
	out := make([]BindingOutcome, 0, len(s.bindings))
	for _, list := range [][]*trackedBinding{s.existing, s.created} {
		for _, b := range list {
			out = append(out, BindingOutcome{Binding: b.Binding, Action: b.action})
		}
	}
	return out
}
