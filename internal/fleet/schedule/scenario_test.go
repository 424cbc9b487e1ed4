package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// now is the current time in all tests.
var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

var clusterPattern = regexp.MustCompile(`^([a-z0-9-]+)(?:\{(.*)\})?(?:\((.*)\))?(?:\[(.*)\])?(!bad|!leaving)?$`)

// fleetOf parses clusters: name{label:value,...}(property=value)[taint=value,...], followed by !bad for an old heartbeat or by !leaving.
func fleetOf(t testing.TB, text string) []Cluster {
	t.Helper()
	var out []Cluster
	for _, word := range strings.Fields(text) {
		match := clusterPattern.FindStringSubmatch(word)
		if match == nil {
			t.Fatalf("the cluster %q is invalid", word)
		}
		c := Cluster{Name: match[1], Labels: pairs(match[2], ":"), Properties: pairs(match[3], "="), Leaving: match[5] == "!leaving"}
		for _, taint := range strings.FieldsFunc(match[4], func(r rune) bool { return r == ',' }) {
			key, value, _ := strings.Cut(taint, "=")
			c.Taints = append(c.Taints, member.Taint{Key: key, Value: value, Effect: "NoSchedule"})
		}
		heartbeat := now.Add(-time.Minute)
		if match[5] == "!bad" {
			heartbeat = now.Add(-10 * time.Minute)
		}
		c.Agent = &Agent{LastReceivedHeartbeat: heartbeat, Joined: &Condition{Status: "True"}, Healthy: &Condition{Status: "True"}}
		out = append(out, c)
	}
	return out
}

func pairs(text, separator string) map[string]string {
	out := map[string]string{}
	for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		key, value, _ := strings.Cut(pair, separator)
		out[key] = value
	}
	return out
}

// bindingsOf parses bindings: "c1 Bound obsolete a10, c2 Unscheduled was:Bound". The number after a is the affinity score.
func bindingsOf(t testing.TB, text string) []Binding {
	t.Helper()
	var out []Binding
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		words := strings.Fields(one)
		b := Binding{Cluster: words[0], State: State(words[1])}
		for _, word := range words[2:] {
			switch {
			case word == "obsolete":
				b.Obsolete = true
			case word == "deleting":
				b.Deleting = true
			case strings.HasPrefix(word, "was:"):
				b.PreviousState = State(word[4:])
			case strings.HasPrefix(word, "a"):
				affinity, err := strconv.Atoi(word[1:])
				if err != nil {
					t.Fatalf("the binding %q is invalid", one)
				}
				b.Score = &Score{Affinity: int32(affinity)}
			default:
				t.Fatalf("the binding %q is invalid", one)
			}
		}
		out = append(out, b)
	}
	return out
}

type option func(*placement.Policy)

func policyOf(placementType placement.PlacementType, options ...option) *placement.Policy {
	out := &placement.Policy{PlacementType: placementType}
	for _, option := range options {
		option(out)
	}
	return out
}

func all(options ...option) *placement.Policy { return policyOf(placement.PickAll, options...) }

func pick(n int32, options ...option) *placement.Policy {
	return policyOf(placement.PickN, append(options, func(p *placement.Policy) { p.NumberOfClusters = &n })...)
}

func fixed(names ...string) *placement.Policy {
	return policyOf(placement.PickFixed, func(p *placement.Policy) { p.ClusterNames = names })
}

func clusterAffinity(p *placement.Policy) *placement.ClusterAffinity {
	if p.Affinity == nil {
		p.Affinity = &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{}}
	}
	return p.Affinity.ClusterAffinity
}

func required(terms ...placement.ClusterSelectorTerm) option {
	return func(p *placement.Policy) {
		clusterAffinity(p).Required = &placement.ClusterSelector{ClusterSelectorTerms: terms}
	}
}

func preferred(weight int32, term placement.ClusterSelectorTerm) option {
	return func(p *placement.Policy) {
		affinity := clusterAffinity(p)
		affinity.Preferred = append(affinity.Preferred, placement.PreferredClusterSelector{Weight: weight, Preference: term})
	}
}

func label(text string) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: pairs(text, ":")}}
}

func propertyTerm(name, operator, value string) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{PropertySelector: &placement.PropertySelector{
		MatchExpressions: []placement.PropertyExpression{{Name: name, Operator: placement.PropertyOperator(operator), Values: []string{value}}},
	}}
}

func sorted(name, order string) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{PropertySorter: &placement.PropertySorter{Name: name, SortOrder: placement.SortOrder(order)}}
}

func spreadBy(key string, maxSkew int32, whenUnsatisfiable string) option {
	return func(p *placement.Policy) {
		p.TopologySpreadConstraints = append(p.TopologySpreadConstraints,
			placement.TopologySpreadConstraint{TopologyKey: key, MaxSkew: &maxSkew, WhenUnsatisfiable: placement.WhenUnsatisfiable(whenUnsatisfiable)})
	}
}

func dns(key string) option { return spreadBy(key, 1, "DoNotSchedule") }
func sa(key string) option  { return spreadBy(key, 1, "ScheduleAnyway") }

func tolerate(toleration placement.Toleration) option {
	return func(p *placement.Policy) { p.Tolerations = append(p.Tolerations, toleration) }
}

// shorter shortens reasons for tables. TestReasons checks the parts that it removes.
var shorter = strings.NewReplacer(
	unschedulable, "",
	affinityReason, "affinity",
	"cluster is not connected to the fleet: no recent heartbeat signals (last received 10.00 minutes ago)", "heartbeat",
	"violated doNotSchedule topology spread constraint", "spread",
	"cannot be tolerated", "",
)

// render formats an outcome in one line: the existing bindings, the new ones in the order of the picks, the clusters that did not score high
// enough, those that were filtered out, and the condition.
func render(out Outcome, err error) string {
	var parts []string
	score := func(s *Score) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf(" %d/%d", s.Affinity, s.TopologySpread)
	}
	for _, b := range out.Bindings {
		mark := map[Action]string{Create: "+", Keep: "", Restamp: "~", Restore: "^", Unschedule: "-", Release: "x"}[b.Action]
		switch b.Action {
		case Create:
			parts = append(parts, mark+b.Cluster+score(b.Score))
		case Unschedule, Release:
			parts = append(parts, mark+b.Cluster)
		case Keep, Restamp, Restore:
			parts = append(parts, mark+b.Cluster+" "+string(b.State))
		}
	}
	for _, d := range out.Decisions {
		switch {
		case d.Selected:
		case d.Score != nil:
			parts = append(parts, "lost "+d.Cluster+score(d.Score))
		default:
			parts = append(parts, "no "+d.Cluster+": "+strings.TrimSpace(shorter.Replace(d.Reason)))
		}
	}
	switch {
	case err != nil:
		parts = append(parts, "error")
	case !out.Reported:
		parts = append(parts, "unreported")
	case out.Fulfilled:
		parts = append(parts, fmt.Sprintf("True %d", out.Found))
	default:
		parts = append(parts, fmt.Sprintf("False %d", out.Found))
	}
	return strings.Join(parts, " | ")
}
