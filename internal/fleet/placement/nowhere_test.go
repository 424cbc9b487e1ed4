package placement

import "testing"

func TestNowhere(t *testing.T) {
	t.Parallel()
	on := func(status string) *Status {
		return &Status{Clusters: map[string]ClusterStatus{"member-1": {Conditions: []Condition{{Type: Scheduled, Status: status}}}}}
	}
	for name, test := range map[string]struct {
		status *Status
		policy *Policy
		want   bool
	}{
		"no policy":             {&Status{}, nil, true},
		"PickAll":               {&Status{}, &Policy{PlacementType: PickAll}, true},
		"the default":           {&Status{}, &Policy{}, true},
		"PickN":                 {&Status{}, &Policy{PlacementType: PickN, NumberOfClusters: new(int32(2))}, true},
		"PickN of 0":            {&Status{}, &Policy{PlacementType: PickN, NumberOfClusters: new(int32)}, false},
		"PickFixed":             {on(False), &Policy{PlacementType: PickFixed, ClusterNames: []string{"member-1"}}, true},
		"PickFixed of nothing":  {&Status{}, &Policy{PlacementType: PickFixed}, false},
		"a cluster":             {on(True), nil, false},
		"a cluster of the past": {on(False), nil, true},
	} {
		if got := test.status.Nowhere(test.policy); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
