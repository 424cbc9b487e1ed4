package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// someLabels are labels that only some members of the fleet have.
var someLabels = []map[string]string{
	{"environment": "production"}, {"environment": "staging"}, {"region": "east"}, {"region": "west"}, {"critical-level": "1"}, {"critical-level": "2"},
}

// RandomTerm returns a term that selects some members of the fleet.
func RandomTerm(r *rand.Rand) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: someLabels[r.IntN(len(someLabels))]}}
}

// DescribePolicy describes a policy for the log of a test.
func DescribePolicy(p *placement.Policy) string {
	out := string(p.PlacementType) + " " + strings.Join(p.ClusterNames, ",")
	if p.NumberOfClusters != nil {
		out += fmt.Sprint(*p.NumberOfClusters)
	}
	if p.Affinity != nil {
		out += fmt.Sprintf(" %+v", *p.Affinity.ClusterAffinity)
	}
	return out
}
