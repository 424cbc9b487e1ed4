package placement

import (
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
)

// forbiddenParts lists, by placement type, the parts of a policy that the type excludes, with a remedy. As in the API's rules, a part that is set to an empty
// value is excluded too.
var forbiddenParts = map[PlacementType][]struct {
	attribute, remedy string
	isSet             func(Policy) bool
}{
	PickFixed: {
		{"affinity", "clusters are named, not matched: remove it", hasAffinity},
		{"number_of_clusters", "clusters are named, not counted: remove it, or use PickN", hasNumber},
		{"topology_spread_constraints", "clusters are named, not chosen: remove it, or use PickN", hasSpread},
		{"tolerations", "named clusters are picked regardless of their taints: remove it", hasTolerations},
	},
	PickAll: {
		{"cluster_names", "remove it, or use PickFixed", hasNames},
		{"number_of_clusters", "remove it, or use PickN", hasNumber},
		{"topology_spread_constraints", "remove it, or use PickN", hasSpread},
	},
	PickN: {
		{"cluster_names", "remove it, or use PickFixed", hasNames},
	},
}

func hasAffinity(p Policy) bool    { return p.Affinity != nil }
func hasNumber(p Policy) bool      { return p.NumberOfClusters != nil }
func hasSpread(p Policy) bool      { return p.TopologySpreadConstraints != nil }
func hasTolerations(p Policy) bool { return p.Tolerations != nil }
func hasNames(p Policy) bool       { return p.ClusterNames != nil }

func (v *validator) checkPolicy(path Path, p Policy) {
	placementType := orDefault(p.PlacementType, PickAll)
	checkEnum(v, path.Attribute("placement_type"), p.PlacementType)
	for _, part := range forbiddenParts[placementType] {
		if part.isSet(p) {
			v.add(path.Attribute(part.attribute), "it cannot be set when placement_type is %s: %s", placementType, part.remedy)
		}
	}
	v.checkClusterNames(path.Attribute("cluster_names"), p, placementType)
	number := path.Attribute("number_of_clusters")
	switch {
	case p.NumberOfClusters == nil && placementType == PickN:
		v.add(number, "it is required when placement_type is PickN: set how many clusters to pick")
	case p.NumberOfClusters != nil && *p.NumberOfClusters < 0:
		v.add(number, "%d is negative: it must be 0 or more", *p.NumberOfClusters)
	}
	if p.Affinity != nil && p.Affinity.ClusterAffinity != nil {
		v.checkAffinity(path.Attribute("affinity").Attribute("cluster_affinity"), *p.Affinity.ClusterAffinity, placementType)
	}
	v.checkSpread(path.Attribute("topology_spread_constraints"), p.TopologySpreadConstraints)
	v.checkTolerations(path.Attribute("tolerations"), p.Tolerations)
}

func (v *validator) checkClusterNames(path Path, p Policy, placementType PlacementType) {
	v.checkLimit(path, 100, len(p.ClusterNames))
	if placementType != PickFixed {
		return
	}
	first := map[string]int{}
	for i, name := range p.ClusterNames {
		v.checkText(path.Index(i), "the name of a member", name, naming.Subdomain)
		if len(name) > validation.DNS1035LabelMaxLength {
			v.add(path.Index(i), "a cluster's name has at most %d characters", validation.DNS1035LabelMaxLength)
		}
		if earlier, found := first[name]; found {
			v.add(path.Index(i), "%s is a duplicate of index %d: name every cluster once", name, earlier)
			continue
		}
		first[name] = i
	}
}

func (v *validator) checkSpread(path Path, constraints []TopologySpreadConstraint) {
	for i, c := range constraints {
		if c.MaxSkew != nil && *c.MaxSkew < 1 {
			v.add(path.Index(i).Attribute("max_skew"), "%d is too small: it must be 1 or more", *c.MaxSkew)
		}
		if c.TopologyKey == "" {
			v.add(path.Index(i).Attribute("topology_key"), "it is required: set the key of the label over whose values the clusters are spread")
		}
		checkEnum(v, path.Index(i).Attribute("when_unsatisfiable"), c.WhenUnsatisfiable)
	}
}

func (v *validator) checkTolerations(path Path, tolerations []Toleration) {
	v.checkLimit(path, 100, len(tolerations))
	first := map[Toleration]int{}
	for i, t := range withDefaultTolerations(tolerations) {
		v.checkToleration(path.Index(i), t)
		if earlier, found := first[t]; found {
			v.add(path.Index(i), "it is a duplicate of index %d: remove one", earlier)
			continue
		}
		first[t] = i
	}
}

func (v *validator) checkToleration(path Path, t Toleration) {
	checkEnum(v, path.Attribute("operator"), t.Operator)
	checkEnum(v, path.Attribute("effect"), t.Effect)
	if t.Key != "" {
		v.checkText(path.Attribute("key"), "the key of a taint", t.Key, naming.LabelKey)
	}
	switch {
	case t.Operator == TolerationExists && t.Value != "":
		v.add(path.Attribute("value"), "it must be empty when operator is Exists: remove it, or use Equal")
	case t.Operator == TolerationEqual && t.Key == "":
		v.add(path.Attribute("key"), "it must be set when operator is Equal; to tolerate every taint, set operator to Exists")
	case t.Operator == TolerationEqual:
		v.checkText(path.Attribute("value"), "the value of a taint", t.Value, naming.LabelValue)
	}
}
