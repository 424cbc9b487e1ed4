package kubeadmiral_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// names are the ConfigMaps that a placement may have.
var names = []string{"a", "b", "c", "d"}

// at is a ConfigMap on a member.
type at struct{ member, name string }

// seen is what a member has of a ConfigMap; the zero value stands for none.
type seen struct {
	uid, value string
	managed    bool
}

// watched compares the members of a world with the preview of an apply after every write to the host.
type watched struct {
	*enginetest.World
	before  map[at]seen
	allowed map[at]takeover.Action
	// wanted are the values of the objects of the placement as they are to be.
	wanted   map[string]string
	mu       sync.Mutex
	reported map[string]bool
	writes   int
	// after is called with the number of the write, with no other write in progress; nil for none.
	after func(write int)
	// stop ends the checks between writes.
	stop func()
}

// members reads all ConfigMaps of the world's namespace on its members.
func membersOf(w *enginetest.World) (map[at]seen, error) {
	out := map[at]seen{}
	for _, member := range w.Members {
		found, err := w.On(member).List(context.Background(), "v1", "ConfigMap", w.Name, "")
		if err != nil {
			return nil, err
		}
		for _, u := range found {
			if slices.Contains(names, u.GetName()) {
				value, _, _ := unstructured.NestedString(u.Object, "data", "value")
				out[at{member, u.GetName()}] = seen{uid: string(u.GetUID()), value: value, managed: dispatch.Managed(&u)}
			}
		}
	}
	return out, nil
}

// watch checks the members after every write to the host. The fake control plane comes to rest before that. A real one gets some time to act, and the
// members are checked all the time.
func watch(w *enginetest.World, preview *engine.Preview, wanted map[string]string) *watched {
	w.Helper()
	out := &watched{World: w, allowed: map[at]takeover.Action{}, wanted: wanted, reported: map[string]bool{}, stop: func() {}}
	var err error
	if out.before, err = membersOf(w); err != nil {
		w.Fatal(err)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			out.allowed[at{c.Name, o.Name}] = o.Action
		}
	}
	if onRealHost {
		out.poll()
	}
	w.Cleanup(w.Inject(clusters.Fault{Context: w.Env.Hub, Match: clusters.Writes, Then: out.rest}))
	return out
}

// poll checks the members until stop is called.
func (w *watched) poll() {
	var polling sync.WaitGroup
	ended := make(chan struct{})
	polling.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				w.check("between writes")
			}
		}
	})
	w.stop = sync.OnceFunc(func() {
		close(ended)
		polling.Wait()
	})
	w.Cleanup(w.stop)
}

// mostPolls bounds how often the members are read before a real control plane's client gets the answer to a write.
const mostPolls = 60

func (w *watched) rest(r clusters.Request) {
	w.mu.Lock()
	w.writes++
	writes := w.writes
	w.mu.Unlock()
	when := fmt.Sprintf("after write %d, %s", writes, r)
	if onRealHost {
		for range rand.IntN(mostPolls) { //nolint:gosec // no secret
			w.check(when)
		}
	} else if err := plane.Rest(context.Background(), w.Name, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}); err != nil {
		w.Errorf("%s: %v", when, err)
	}
	w.check(when)
	if w.after != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.after(writes)
	}
}

// check compares the members with the preview.
func (w *watched) check(when string) {
	now, err := membersOf(w.World)
	if err != nil {
		w.Errorf("%s: %v", when, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, member := range w.Members {
		for _, name := range names {
			where := at{member, name}
			if problem := w.problem(where, now[where]); problem != "" && !w.reported[problem] {
				w.reported[problem] = true
				w.Errorf("%s: %s", when, problem)
			}
		}
	}
}

// problem is what is wrong with an object on a member that the preview shows otherwise; empty for nothing.
func (w *watched) problem(where at, now seen) string {
	before, action := w.before[where], w.allowed[where]
	say := func(what string) string {
		return fmt.Sprintf("%s on %s %s: the plan says %q, it was %+v and is %+v", where.name, where.member, what, action, before, now)
	}
	switch {
	case now == before:
		return ""
	case before.uid == "" && action != takeover.ActionCreate:
		return say("was created")
	case before.uid == "" && now.value != w.wanted[where.name]:
		return say("was created with another content")
	case before.uid == "":
		return ""
	case now.uid == "" && (!before.managed || action != takeover.ActionPrune):
		return say("was deleted")
	case now.uid == "":
		return ""
	case now.uid != before.uid:
		return say("was replaced")
	case !before.managed && action != takeover.ActionTakeOver:
		return say("was taken over")
	case !before.managed && now.value != before.value && now.value != w.wanted[where.name]:
		return say("was overwritten with another content")
	case before.managed && !slices.Contains([]takeover.Action{takeover.ActionUpdate, takeover.ActionPrune, takeover.ActionOrphan}, action):
		return say("was changed")
	}
	return ""
}

// ends fails the test if an object is not as the preview says in the end.
func (w *watched) ends() {
	w.Helper()
	if onRealHost {
		for range mostPolls {
			w.check("after the apply")
		}
	}
	w.stop()
	now, err := membersOf(w.World)
	if err != nil {
		w.Fatal(err)
	}
	for where, action := range w.allowed {
		is, want := now[where], w.wanted[where.name]
		switch action {
		case takeover.ActionCreate, takeover.ActionTakeOver, takeover.ActionUpdate:
			if where.name != w.Name && (!is.managed || is.value != want) {
				w.Errorf("%v: the plan says %s, and it is %+v instead of %q", where, action, is, want)
			}
		case takeover.ActionPrune:
			if is.uid != "" {
				w.Errorf("%v: the plan says %s, and it is %+v", where, action, is)
			}
		case takeover.ActionOrphan:
			if is.uid == "" || is.managed {
				w.Errorf("%v: the plan says %s, and it is %+v", where, action, is)
			}
		case takeover.ActionNone, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport,
			takeover.ActionReplace, takeover.ActionDefer, takeover.ActionUnknown:
			if is != w.before[where] {
				w.Errorf("%v: the plan says %s, it was %+v and is %+v", where, action, w.before[where], is)
			}
		}
	}
}

// requestOf asks for ConfigMaps with values.
func requestOf(w *enginetest.World, values map[string]string, policy *placement.Policy, strategy placement.Strategy) enginetest.Request {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}, data: {value: %q}}", name, values[name]))
	}
	request := w.Placing("$ns", texts...)
	request.Spec.Policy, request.Spec.Strategy = policy, &strategy
	return request
}

// next applies a request under watch, held to its preview, and returns the one for the next time.
func next(t *testing.T, w *enginetest.World, request enginetest.Request, values map[string]string) enginetest.Request {
	t.Helper()
	preview := previewed(t, w, request)
	request.Expected = engine.Expect(preview)
	again := w.Another()
	watched := watch(again, preview, values)
	result := applied(t, again, request)
	watched.ends()
	return request.After(result.Status)
}

// An apply never changes an object on a member that its plan does not show as changed, not even for a moment, however fast the control plane acts.
func TestSafeAfterEveryWrite(t *testing.T) {
	t.Parallel()
	seeds := 12
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 3)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			r := rand.New(rand.NewPCG(uint64(seed), 0))
			var request enginetest.Request
			for step := range 4 {
				values := map[string]string{}
				for _, name := range names {
					if r.IntN(3) > 0 {
						values[name] = []string{"1", "2"}[r.IntN(2)]
					}
				}
				if len(values) == 0 {
					values["a"] = "1"
				}
				putForeign(w, r)
				policy, strategy := randomPolicy(r, w.Members), randomStrategy(r)
				t.Logf("step %d: %v, %s, %+v", step, values, describe(policy), strategy.ApplyStrategy.WhenToTakeOver)
				changed := requestOf(w, values, policy, strategy)
				changed.Again, changed.Prior = request.Again, request.Prior
				request = next(t, w, changed, values)
			}
			w.Delete(request)
		})
	}
}

// putForeign puts objects of others onto members where there is none.
func putForeign(w *enginetest.World, r *rand.Rand) {
	w.Helper()
	now, err := membersOf(w)
	if err != nil {
		w.Fatal(err)
	}
	for _, member := range w.Members {
		for _, name := range names {
			if r.IntN(4) == 0 && now[at{member, name}].uid == "" {
				w.Put(member, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}, data: {value: %q}}", name, []string{"1", "theirs"}[r.IntN(2)]))
			}
		}
	}
}

func describe(p *placement.Policy) string {
	out := string(p.PlacementType) + " " + strings.Join(p.ClusterNames, ",")
	if p.NumberOfClusters != nil {
		out += fmt.Sprint(*p.NumberOfClusters)
	}
	if p.Affinity != nil {
		out += fmt.Sprintf(" %+v", *p.Affinity.ClusterAffinity)
	}
	return out
}
