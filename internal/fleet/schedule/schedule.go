package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Input is everything a decision depends on. The order of its lists does not matter, except that of the policy's own lists and of taints.
type Input struct {
	// Policy has its defaults filled in (placement.Spec.Defaulted): a toleration without an operator tolerates nothing. Nil is PickAll.
	Policy   *placement.Policy `json:"policy,omitempty"`
	Clusters []Cluster         `json:"clusters,omitempty"`
	Bindings []Binding         `json:"bindings,omitempty"`
	// Placement is the name of the placement, from which the names of new bindings are made; it only orders decisions.
	Placement string `json:"placement,omitempty"`
	// Namespace is that of a ResourcePlacement; empty for a ClusterResourcePlacement.
	Namespace string `json:"namespace,omitempty"`
	// Now is the time at which the agents' heartbeats are judged. Left out, none is too old.
	Now time.Time `json:"now,omitzero"`
	// Limits caps the list of decisions. Nil keeps the reason for every cluster.
	Limits *Limits `json:"limits,omitempty"`
}

// Outcome is what became of a scheduling run.
type Outcome struct {
	// Decisions has the selected clusters first, then those that did not score high enough, the best first, then those that were filtered
	// out, by name.
	Decisions []Decision `json:"decisions"`
	// Bindings has every binding as it is afterwards: those of the input by name, then the new ones in the order in which they were picked.
	Bindings []BindingOutcome `json:"bindings"`
	// Wanted is how many clusters the policy asks for, Found how many bindings there are; Fulfilled tells whether those are enough.
	Wanted    int  `json:"wanted"`
	Found     int  `json:"found"`
	Fulfilled bool `json:"fulfilled"`
	// Reported tells whether KubeFleet would write decisions and a condition at all. It leaves the old ones if the cycle fails, and for
	// PickFixed without names.
	Reported bool `json:"reported"`
	// Reason and Message are those of the condition Scheduled of the policy snapshot.
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

// Schedule runs KubeFleet's scheduling cycle until it is done: with topology spread constraints the cycle picks one cluster at a time and
// is repeated (pkg/scheduler/framework of KubeFleet, RunSchedulingCycleFor).
//
// An *Error means that KubeFleet gives up and does not try again before something changes. What it had written by then stays, and is in
// the outcome.
func Schedule(in Input) (Outcome, error) {
	s, err := newScheduler(in)
	if err != nil {
		return Outcome{}, err
	}
	err = s.run()
	s.out.Bindings = s.bindingOutcomes()
	return s.out, err
}

// scheduler is one run.
type scheduler struct {
	policy    placement.Policy
	placement string
	namespace string
	now       time.Time
	limits    *Limits
	clusters  []*Cluster // by name, so that an index stands for a name in comparisons
	bindings  []*tracked // by name
	given     []*tracked // those of the input, by name
	created   []*tracked // in the order in which they were picked
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
	return s, s.track(in.Bindings)
}

func (s *scheduler) run() error {
	s.classify()
	s.letGo()
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

// find returns the index of a cluster, or -1.
func (s *scheduler) find(name string) int {
	i, found := slices.BinarySearchFunc(s.clusters, name, func(c *Cluster, name string) int { return strings.Compare(c.Name, name) })
	if !found {
		return -1
	}
	return i
}
