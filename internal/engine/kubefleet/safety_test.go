package kubefleet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// change is a placement of ClusterRoles that are on the hub, or in a ClusterResourceEnvelope there.
type change struct {
	*enginetest.World
	random *rand.Rand
	// values are the contents of the ClusterRoles of the placement, by short name. enveloped has those that are in the envelope.
	values    map[string]string
	enveloped map[string]bool
	// placementType is constant: a change of the type creates a different placement.
	placementType placement.PlacementType
	policy        *placement.Policy
	strategy      placement.Strategy
	// written are the objects on the hub as last written.
	written []string
}

// roles are the short names of the ClusterRoles that a placement may have.
var roles = []string{"a", "b", "c", "d"}

func newChange(t *testing.T, seed int) *change {
	t.Helper()
	w := fleet.World(t, 3)
	r := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // a small number
	types := []placement.PlacementType{placement.PickN, placement.PickAll, placement.PickFixed}
	return &change{World: w, random: r, placementType: types[seed%len(types)]}
}

func (c *change) tidyAtEnd() {
	c.Cleanup(func() {
		if err := tidy(context.Background(), c.World, c.Name); err != nil {
			c.Error(err)
		}
	})
}

func (c *change) nameOf(role string) string { return c.Name + "-" + role }

// role returns a ClusterRole as text. The hub's copy has a label by which the placement selects it.
func (c *change) role(name, value, label string) string {
	return fmt.Sprintf("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s%s}, "+
		"rules: [{apiGroups: [''], resources: [configmaps], verbs: [get], resourceNames: ['%s']}]}", c.nameOf(name), label, value)
}

const roleKind = "rbac.authorization.k8s.io/v1 ClusterRole "

func (c *change) kind() enginetest.WatchedKind {
	out := enginetest.WatchedKind{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Value: func(u *unstructured.Unstructured) string {
		rules, _, _ := unstructured.NestedSlice(u.Object, "rules")
		if len(rules) != 1 {
			return ""
		}
		rule, _ := rules[0].(map[string]any)
		names, _, _ := unstructured.NestedStringSlice(rule, "resourceNames")
		return strings.Join(names, ",")
	}}
	for _, role := range roles {
		out.Names = append(out.Names, c.nameOf(role))
	}
	return out
}

// vary randomly changes the policy, the strategy and the objects of the placement. The first call sets all of them; a later call can leave any of them unchanged.
func (c *change) vary() {
	r := c.random
	if c.policy == nil || r.IntN(2) == 0 {
		c.policy = randomPolicy(r, c.placementType, c.Members)
	}
	if c.strategy.ApplyStrategy == nil || r.IntN(2) == 0 {
		external := c.strategy.Type == placement.ExternalStrategy // the type External cannot be changed
		if c.strategy = randomStrategy(r); external {
			c.strategy.Type, c.strategy.RollingUpdate = placement.ExternalStrategy, nil
		}
	}
	if c.values == nil || r.IntN(3) > 0 {
		c.values, c.enveloped = map[string]string{}, map[string]bool{}
		for _, role := range roles {
			if r.IntN(3) > 0 {
				c.values[role] = []string{"1", "2"}[r.IntN(2)]
				if r.IntN(4) == 0 {
					c.enveloped[role] = true
				}
			}
		}
		if len(c.values) == 0 {
			c.values["a"] = "1"
		}
	}
}

// put creates the objects of the placement on the hub, and deletes all others.
func (c *change) put() {
	c.Helper()
	var inEnvelope []string
	for _, role := range roles {
		value, has := c.values[role]
		if has && c.enveloped[role] {
			inEnvelope = append(inEnvelope, fmt.Sprintf("%s.yaml: %s", role, c.role(role, value, "")))
		}
		if has && !c.enveloped[role] {
			c.write(c.role(role, value, ", labels: {case: $ns}"))
			continue
		}
		c.erase(roleKind + c.nameOf(role))
	}
	envelope := hubKinds + " ClusterResourceEnvelope $ns"
	if len(inEnvelope) == 0 {
		c.erase(envelope)
		return
	}
	c.write(fmt.Sprintf("{apiVersion: %s, kind: ClusterResourceEnvelope, metadata: {name: $ns, labels: {case: $ns}}, data: {%s}}", hubKinds,
		strings.Join(inEnvelope, ", ")))
}

// write recreates an object on the hub if its text changes.
func (c *change) write(text string) {
	c.Helper()
	if slices.Contains(c.written, text) && c.FindRef(c.Env.Hub, fixture.RefOf(c.Objects(text)[0])) != nil {
		return
	}
	c.written = slices.DeleteFunc(c.written, func(other string) bool {
		return fixture.RefOf(c.Objects(other)[0]) == fixture.RefOf(c.Objects(text)[0])
	})
	c.written = append(c.written, text)
	ref := fixture.RefOf(c.Objects(text)[0])
	c.erase(ref.APIVersion + " " + ref.Kind + " " + ref.Name)
	c.Put(c.Env.Hub, text)
}

func (c *change) erase(object string) {
	c.Helper()
	if c.Find(c.Env.Hub, object) != nil {
		c.Remove(c.Env.Hub, object)
	}
}

// putForeign creates pre-existing objects on members that do not have them.
func (c *change) putForeign() {
	c.Helper()
	now, err := c.ReadWatched(c.kind())
	if err != nil {
		c.Fatal(err)
	}
	for _, member := range c.Members {
		for _, role := range roles {
			if c.random.IntN(4) == 0 && now[member][c.nameOf(role)].UID == "" {
				c.Put(member, c.role(role, []string{"1", "theirs"}[c.random.IntN(2)], ""))
			}
		}
	}
}

// request returns the placement with its current fields.
func (c *change) request(before enginetest.Request) enginetest.Request {
	out := enginetest.Request{Name: c.Name, Again: before.Again, Prior: before.Prior, Spec: placement.Spec{
		Policy: c.policy, Strategy: &c.strategy, ResourceSelectors: []placement.ResourceSelector{
			{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", LabelSelector: c.selector()},
			{Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: "ClusterResourceEnvelope", LabelSelector: c.selector()},
		},
	}}
	return out
}

func (c *change) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"case": c.Name}}
}

func (c *change) wanted() map[string]string {
	out := map[string]string{}
	for role, value := range c.values {
		out[c.nameOf(role)] = value
	}
	return out
}

func (c *change) preview(request enginetest.Request) *engine.Preview {
	c.Helper()
	preview, err := request.Preview(c.Context(), c.Engine())
	if err != nil {
		c.Fatal(err)
	}
	return preview
}

// rest runs the agents of the fake until nothing changes any more. It does nothing on a real hub, whose agents run all the time.
func (c *change) rest(ctx context.Context) error {
	if agents == nil {
		return nil
	}
	return agents.Rest(ctx, c.Name)
}

// uncollected prevents the hub agent of the fake from observing changes of the selected objects until collect is called.
func (c *change) uncollected() (collect func()) {
	if agents == nil {
		return func() {}
	}
	return agents.Uncollected(c.Name)
}

// generation returns the generation of the placement on the hub, or 0 if there is none.
func (c *change) generation() int64 {
	c.Helper()
	live, err := c.On(c.Env.Hub).Find(context.Background(), fixture.Ref{APIVersion: hubKinds, Kind: "ClusterResourcePlacement", Name: c.Name})
	if err != nil {
		c.Error(err)
	}
	if live == nil {
		return 0
	}
	return live.GetGeneration()
}

// step changes the placement, and applies it while the agents act after every write. The hub agent observes the change of the objects only after the first
// change of the placement; an earlier observation would be unrelated to the apply. kill is the number of the write after which the apply is killed; 0
// disables this.
func (c *change) step(before enginetest.Request, kill int) (after enginetest.Request, writes int) {
	c.Helper()
	collect := c.uncollected()
	defer collect()
	c.put()
	request := c.request(before)
	preview := c.preview(request)
	if slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool { return cluster.Picked && cluster.Resume }) {
		collect() // an added cluster would otherwise get the earlier content
		if err := c.rest(c.Context()); err != nil {
			c.Fatal(err)
		}
		preview = c.preview(request)
	}
	request.Expected = engine.Expect(preview)
	another, generation := c.Another(), c.generation()
	watched := another.Watch(c.kind(), preview, c.wanted(), c.rest)
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	watched.After = func(write int) {
		if c.generation() != generation {
			collect()
			watched.Compare(fmt.Sprintf("write %d, when the hub has noticed the objects", write))
		}
		if write == kill {
			cancel()
		}
	}
	// An apply that waits for the hub before it writes anything reads the placement repeatedly.
	var reads atomic.Int32
	another.Inject(clusters.Fault{Context: c.Env.Hub, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/clusterresourceplacements/"+c.Name)
	}, Then: func(clusters.Request) {
		if reads.Add(1) == 3 { // after the reads of the prediction
			collect()
			if err := c.rest(c.Context()); err != nil {
				c.Error(err)
			}
		}
	}})
	result, err := request.Apply(ctx, another.Engine())
	if kill > 0 && ctx.Err() != nil {
		request.Again = request.Again || c.generation() > 0
		return request, watched.Writes()
	}
	if err != nil {
		c.Fatalf("%+v %v", result, err)
	}
	collect()
	if err := c.rest(c.Context()); err != nil {
		c.Fatal(err)
	}
	if c.strategy.Type != placement.ExternalStrategy {
		var held []string
		if preview.OnHub().Hold != nil {
			held = preview.OnHub().Hold.Clusters
		}
		watched.Ends(held...)
	}
	return request.After(result.Status), watched.Writes()
}

// An apply never changes an object on a member that its plan does not show as changed, not even temporarily, regardless of how fast the agents act.
func TestSafeAfterEveryWrite(t *testing.T) {
	t.Parallel()
	seeds := 20
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newChange(t, seed)
			c.tidyAtEnd()
			var request enginetest.Request
			for step := range 4 {
				c.putForeign()
				c.vary()
				t.Logf("step %d: %v, in the envelope %v, %s, %s %+v", step, c.values, c.enveloped, enginetest.DescribePolicy(c.policy), c.strategy.Type,
					*c.strategy.ApplyStrategy)
				var writes int
				request, writes = c.step(request, 0)
				t.Logf("%d writes", writes)
			}
		})
	}
}
