package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Input is the input of a scheduling run. The order of its lists is irrelevant, except for the policy's own lists and for taints.
type Input struct {
	// Policy must have its defaults set (placement.Spec.Defaulted). Without them, a toleration without an operator tolerates nothing. Nil means PickAll.
	Policy   *placement.Policy `json:"policy,omitempty"`
	Clusters []Cluster         `json:"clusters,omitempty"`
	Bindings []Binding         `json:"bindings,omitempty"`
	// Placement is the name of the placement, which is part of the names of new bindings. It only affects the order of decisions.
	Placement string `json:"placement,omitempty"`
	// Namespace is the namespace of a ResourcePlacement; empty for a ClusterResourcePlacement.
	Namespace string `json:"namespace,omitempty"`
	// Now is the time for checks of the agents' heartbeats. If it is zero, no heartbeat is too old.
	Now time.Time `json:"now,omitzero"`
	// Limits limits the list of decisions; nil means no limit.
	Limits *Limits `json:"limits,omitempty"`
}

// Outcome is the result of a scheduling run.
type Outcome struct {
	// Decisions lists the selected clusters, then those that did not score high enough (best first), then those that were filtered out (by name). For
	// PickFixed, the selected clusters are followed by those that are not eligible, then by those that do not exist, each in the order of the policy.
	Decisions []Decision `json:"decisions"`
	// Bindings lists every binding after the run: first the bindings of the input by name, then the new ones in the order of the picks.
	Bindings []BindingOutcome `json:"bindings"`
	// Wanted is the number of clusters that the policy requests. Found is the number of selected bindings or, for PickFixed, of eligible clusters. Fulfilled
	// reports whether these are enough.
	Wanted    int  `json:"wanted"`
	Found     int  `json:"found"`
	Fulfilled bool `json:"fulfilled"`
	// Reported reports whether KubeFleet would write decisions and a condition. It writes none if the cycle fails, or for PickFixed without names. The old ones
	// then remain.
	Reported bool `json:"reported"`
	// Reason and Message are those of the policy snapshot's condition Scheduled.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Selected returns the names of the selected clusters, in the order of the decisions.
func (o Outcome) Selected() []string {
	var names []string
	for _, d := range o.Decisions {
		if d.Selected {
			names = append(names, d.Cluster)
		}
	}
	return names
}

// Schedule runs KubeFleet's scheduling cycles until there is nothing left to do. With topology spread constraints, each cycle picks one
// cluster (pkg/scheduler/framework of KubeFleet, RunSchedulingCycleFor).
//
// An *Error means that KubeFleet does not retry until something changes. KubeFleet's earlier writes remain and are in the outcome.
func Schedule(in Input) (Outcome, error) {
	s, err := newScheduler(in)
	if err != nil {
		return Outcome{}, err
	}
	err = s.run()
	s.out.Bindings = s.bindingOutcomes()
	return s.out, err
}

type scheduler struct {
	policy    placement.Policy
	placement string
	namespace string
	now       time.Time
	limits    *Limits
	clusters  []*Cluster        // by name, so that the order of indexes is the order of names
	bindings  []*trackedBinding // by name
	existing  []*trackedBinding // the bindings of the input, by name
	created   []*trackedBinding // in the order of the picks
	classes   classes
	out       Outcome
}

func newScheduler(in Input) (*scheduler, error) {
	s := &scheduler{placement: in.Placement, namespace: in.Namespace, now: in.Now, limits: in.Limits}
	if in.Policy != nil {
		s.policy = *in.Policy
	}
	s.clusters = make([]*Cluster, len(in.Clusters))
	for i := range in.Clusters {
		s.clusters[i] = &in.Clusters[i]
	}
	slices.SortFunc(s.clusters, func(a, b *Cluster) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(s.clusters); i++ {
		if s.clusters[i].Name == s.clusters[i-1].Name {
			return nil, &Error{Cluster: s.clusters[i].Name, Err: fmt.Errorf("the cluster is listed twice")}
		}
	}
	return s, s.trackBindings(in.Bindings)
}

func (s *scheduler) run() error {
	s.classify()
	s.releaseBindings()
	switch s.policy.PlacementType {
	case placement.PickAll, "":
		return s.pickAll()
	case placement.PickN:
		return s.pickN()
	case placement.PickFixed:
		return s.pickFixed()
	default:
		return &Error{Where: "placementType", Err: fmt.Errorf("%q is not one of %s", s.policy.PlacementType,
			strings.Join(s.policy.PlacementType.Values(), ", "))}
	}
}

func (s *scheduler) findCluster(name string) int {
	i, found := slices.BinarySearchFunc(s.clusters, name, func(c *Cluster, name string) int { return strings.Compare(c.Name, name) })
	if !found {
		return -1
	}
	return i
}
