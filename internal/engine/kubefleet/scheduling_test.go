package kubefleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// scheduling has lists of policies. The policies of a list are applied one after the other to the same placement. The keys of labels begin with the name of the
// world: member-1 is gold and in the east, member-2 gold and in the west, and member-3 silver and in the west. An entry that is a word is a change of the
// fleet; see scheduled.change.
var scheduling = map[string][]string{
	"all":                   {`{placementType: PickAll}`},
	"all in the west":       {all(required(`{matchLabels: {$r: west}}`))},
	"all by two terms":      {all(required(`{matchLabels: {$r: east}}`, `{matchLabels: {$t: silver}}`))},
	"all but the east":      {all(required(`{matchExpressions: [{key: $r, operator: NotIn, values: [east]}]}`))},
	"all without a label":   {all(required(`{matchExpressions: [{key: $none, operator: DoesNotExist}]}`))},
	"none":                  {all(required(`{matchExpressions: [{key: $none, operator: Exists}]}`))},
	"all with nodes":        {all(property("kubernetes-fleet.io/node-count", "Ge", "1"))},
	"all with many nodes":   {all(property("kubernetes-fleet.io/node-count", "Gt", "500"))},
	"all with processors":   {all(property("resources.kubernetes-fleet.io/total-cpu", "Ge", "1"))},
	"all with no processor": {all(property("resources.kubernetes-fleet.io/available-cpu", "Lt", "1"))},
	"all with a property":   {all(property("example.com/none", "Eq", "1"))},
	"all of a change":       {`{placementType: PickAll}`, all(required(`{matchLabels: {$r: west}}`)), all(required(`{matchLabels: {$r: east}}`))},
	"named":                 {fixed("member-1", "member-3"), fixed("member-2", "member-3"), fixed("member-2")},
	"named in vain":         {fixed("member-1", "nobody")},
	"named all in vain":     {fixed("nobody")},
	"number":                {number(1), number(3), number(2), number(1), number(2)},
	"number, none":          {number(0), number(1), number(0)},
	"number, too many":      {number(5), number(2)},
	"preferred":             {number(1, preferred(10, `matchLabels: {$t: silver}`))},
	"preferred by two":      {number(2, preferred(10, `matchLabels: {$t: silver}`, -50, `matchLabels: {$r: east}`))},
	"preferred not":         {number(1, preferred(-10, `matchLabels: {$r: west}`))},
	"preferred and fewer":   {number(3, preferred(50, `matchLabels: {$r: west}`)), number(1, preferred(50, `matchLabels: {$r: west}`))},
	"preferred and more":    {number(1, preferred(50, `matchLabels: {$t: silver}`)), number(2, preferred(50, `matchLabels: {$t: silver}`))},
	"preferred is changed":  {number(1, preferred(50, `matchLabels: {$t: silver}`)), number(1, preferred(50, `matchLabels: {$r: east}`))},
	"sorted up":             {number(2, sorted("kubernetes-fleet.io/node-count", "Ascending"))},
	"sorted down":           {number(2, sorted("resources.kubernetes-fleet.io/total-cpu", "Descending"))},
	"required and preferred": {number(1, `affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: `+
		`[{labelSelector: {matchLabels: {$r: west}}}]}, preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference: `+
		`{labelSelector: {matchLabels: {$t: silver}}}}]}}`)},
	"spread":                  {number(2, spread(1, "$r", "DoNotSchedule"))},
	"spread over too few":     {number(3, spread(1, "$r", "DoNotSchedule"))},
	"spread with skew":        {number(3, spread(2, "$r", "DoNotSchedule"))},
	"spread if possible":      {number(2, spread(1, "$r", "ScheduleAnyway"))},
	"spread by two":           {number(2, `topologySpreadConstraints: [`+constraint(1, "$r", "DoNotSchedule")+`, `+constraint(1, "$t", "ScheduleAnyway")+`]`)},
	"spread over nothing":     {number(2, spread(1, "$none", "DoNotSchedule"))},
	"spread over every name":  {number(3, spread(1, "$n", "DoNotSchedule"))},
	"spread and more":         {number(1, spread(1, "$r", "DoNotSchedule")), number(2, spread(1, "$r", "DoNotSchedule")), number(3, spread(2, "$r", "DoNotSchedule"))},
	"spread and preferred":    {number(2, spread(1, "$r", "DoNotSchedule"), preferred(30, `matchLabels: {$t: silver}`))},
	"spread and fewer":        {number(3, spread(2, "$r", "ScheduleAnyway")), number(1, spread(2, "$r", "ScheduleAnyway"))},
	"labels change":           {all(required(`{matchLabels: {$r: west}}`)), "west", all(required(`{matchLabels: {$r: west}}`)), "home"},
	"labels change, a number": {number(1, `affinity: {clusterAffinity: {`+terms(`{matchLabels: {$r: east}}`)+`}}`), "west", "home"},
}

// tainting has lists of policies and of changes of taints. Taints affect other placements too.
var tainting = map[string][]string{
	"tainted before":         {"taint", `{placementType: PickAll}`, `{placementType: PickAll, tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}]}`},
	"tainted, exists":        {"taint", number(3, `tolerations: [{key: k, operator: Exists}]`)},
	"tainted, another value": {"taint", number(3, `tolerations: [{key: k, operator: Equal, value: w, effect: NoSchedule}]`)},
	"tainted, everything":    {"taint", `{placementType: PickAll, tolerations: [{operator: Exists}]}`},
	"tainted and named":      {"taint", fixed("member-2")},
	"tainted later":          {`{placementType: PickAll}`, "taint", all(required(`{matchLabels: {$r: west}}`)), "untaint"},
	"tainted later, number":  {number(2), "taint", number(3), number(1), "untaint"},
}

// briefly names one list of policies of every kind, for short runs. The fake schedules with the same code as the prediction, so a short run only needs to test
// how a hub handles policies.
var briefly = []string{
	"all of a change", "preferred is changed", "spread over too few", "tainted later",
}

func skipUnlessBrief(t *testing.T, name string) {
	t.Helper()
	if testing.Short() && !slices.Contains(briefly, name) {
		t.Skip("make test-all runs it")
	}
}

func all(affinity string) string { return `{placementType: PickAll, ` + affinity + `}` }

func fixed(names ...string) string {
	return `{placementType: PickFixed, clusterNames: [` + strings.Join(names, ", ") + `]}`
}

func number(n int, more ...string) string {
	return fmt.Sprintf(`{placementType: PickN, numberOfClusters: %d%s}`, n, strings.Join(append([]string{""}, more...), ", "))
}

func terms(selectors ...string) string {
	var out []string
	for _, selector := range selectors {
		out = append(out, `{labelSelector: `+selector+`}`)
	}
	return `requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [` + strings.Join(out, ", ") + `]}`
}

func required(selectors ...string) string {
	return `affinity: {clusterAffinity: {` + terms(selectors...) + `}}`
}

func property(name, operator, value string) string {
	return fmt.Sprintf(`affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{propertySelector: `+
		`{matchExpressions: [{name: %s, operator: %s, values: [%q]}]}}]}}}`, name, operator, value)
}

// preferred returns preferred terms. Its arguments are weights and label selectors in turn.
func preferred(pairs ...any) string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, fmt.Sprintf(`{weight: %d, preference: {labelSelector: {%s}}}`, pairs[i], pairs[i+1]))
	}
	return `affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [` + strings.Join(out, ", ") + `]}}`
}

func sorted(name, order string) string {
	return fmt.Sprintf(`affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 20, preference: {propertySorter: `+
		`{name: %s, sortOrder: %s}}}]}}`, name, order)
}

func constraint(skew int, key, otherwise string) string {
	return fmt.Sprintf(`{maxSkew: %d, topologyKey: %s, whenUnsatisfiable: %s}`, skew, key, otherwise)
}

func spread(skew int, key, otherwise string) string {
	return `topologySpreadConstraints: [` + constraint(skew, key, otherwise) + `]`
}

// The scheduler of a hub reports the predicted clusters, reasons and scores.
func TestScheduling(t *testing.T) {
	t.Parallel()
	for name, steps := range scheduling {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessBrief(t, name)
			schedules(t, steps)
		})
	}
}

// Taints also exclude the member for other placements, so no other test may run at the same time.
func TestSchedulingWithTaints(t *testing.T) { //nolint:paralleltest // See above.
	for name, steps := range tainting {
		t.Run(name, func(t *testing.T) {
			skipUnlessBrief(t, name)
			schedules(t, steps)
		})
	}
}

// scheduled is a placement whose policy is changed.
type scheduled struct {
	*enginetest.World
	hub     *kube.Cluster
	engine  engine.Engine
	request enginetest.Request
}

func schedules(t *testing.T, steps []string) {
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app)
	s := &scheduled{World: w, hub: w.Connect(enginetest.Access{}).Hub, engine: w.Past(), request: placing(w)}
	s.request.Spec.ResourceSelectors[0].SelectionScope = placement.NamespaceOnly // the placed objects do not matter here
	s.DeleteAtEnd(s.request)
	s.change(t, "home")
	for i, step := range steps {
		if !strings.HasPrefix(step, "{") {
			s.change(t, step)
			if i > 0 {
				s.comesTrue(t, step, s.predicted(t))
			}
			continue
		}
		var policy placement.Policy
		if err := yaml.Unmarshal([]byte(s.expand(step)), &policy); err != nil {
			t.Fatal(err, s.expand(step))
		}
		s.request.Spec.Policy = &policy
		predicted := s.predicted(t)
		result, err := s.request.Apply(s.Context(), s.engine)
		if err != nil {
			t.Fatal(err)
		}
		s.request = s.request.After(result.Status)
		s.comesTrue(t, step, predicted)
	}
}

func (s *scheduled) expand(text string) string {
	return strings.NewReplacer("$none", s.Name+"-none", "$r", s.Name+"-region", "$t", s.Name+"-tier", "$n", s.Name+"-name").Replace(text)
}

func (s *scheduled) predicted(t *testing.T) *engine.Preview {
	t.Helper()
	preview, err := s.request.Preview(s.Context(), s.engine)
	if err != nil {
		t.Fatal(err)
	}
	return preview
}

// change changes the fleet.
func (s *scheduled) change(t *testing.T, what string) {
	t.Helper()
	taints := []map[string]any{}
	switch what {
	case "taint":
		taints = append(taints, map[string]any{"key": "k", "value": "v", "effect": "NoSchedule"})
		t.Cleanup(func() { s.patch(t, "member-2", map[string]any{"spec": map[string]any{"taints": []any{}}}) })
		fallthrough
	case "untaint":
		s.patch(t, "member-2", map[string]any{"spec": map[string]any{"taints": taints}})
	default:
		for _, name := range s.Members {
			region, tier := "west", "gold"
			if name == "member-1" && what == "home" {
				region = "east"
			}
			if name == "member-3" {
				tier = "silver"
			}
			labels := map[string]any{s.expand("$r"): region, s.expand("$t"): tier, s.expand("$n"): name}
			s.patch(t, name, map[string]any{"metadata": map[string]any{"labels": labels}})
		}
	}
}

func (s *scheduled) patch(t *testing.T, member string, fields map[string]any) {
	t.Helper()
	ctx := context.WithoutCancel(s.Context()) // at the end of the test, too
	gvk, err := hub.Served(ctx, s.hub, hub.MemberCluster)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.hub.Patch(ctx, kube.Ref{GVK: gvk, Name: member}, types.MergePatchType, data, kube.WriteOptions{}); err != nil {
		t.Error(err)
	}
}

// settling is how long a hub may take to report its decision.
const settling = time.Minute

// comesTrue waits until the hub reports the prediction.
func (s *scheduled) comesTrue(t *testing.T, step string, predicted *engine.Preview) {
	t.Helper()
	var wrong []string
	for until := time.Now().Add(settling); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		read, err := s.request.Read(s.Context(), s.engine)
		if err != nil {
			t.Fatal(err)
		}
		if wrong = differences(predicted, read.Status); len(wrong) == 0 {
			return
		}
	}
	t.Errorf("%s: %s", s.expand(step), strings.Join(wrong, "; "))
}

func differences(predicted *engine.Preview, reported placement.Status) []string {
	var out []string
	for _, c := range predicted.Clusters {
		status, found := reported.Clusters[c.Name]
		if picked := found && status.IsScheduled(); picked != c.Picked {
			out = append(out, fmt.Sprintf("%s is predicted to be picked: %t, and is: %t", c.Name, c.Picked, picked))
			continue
		}
		condition, _ := status.Condition(placement.Scheduled)
		if !c.Picked {
			continue
		}
		want := c.Reason
		if !strings.Contains(condition.Message, want) {
			out = append(out, fmt.Sprintf("%s: predicted %q, reported %q", c.Name, want, condition.Message))
		}
	}
	for _, c := range reported.Conditions {
		if placement.ShortType(c.Type) == placement.Scheduled && (c.Status == placement.True) != predicted.Fulfilled {
			out = append(out, fmt.Sprintf("predicted to be fulfilled: %t, reported %s %s", predicted.Fulfilled, c.Reason, c.Message))
		}
	}
	return out
}
