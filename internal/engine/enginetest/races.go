package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Races checks that an apply does only what its plan shows while other clients change the clusters: between plan and apply, between the reads and the writes of
// the apply, and between its writes. The other clients change objects and the engine's records of the placement. Each case follows from its seed. An object
// must not change if the plan does not show the change, or if another client has changed it since in a way that the plan does not cover. There are 40 cases; a
// short run has only the first ones.
func Races(t *testing.T, f *Fleet, short int) {
	t.Helper()
	runParallel(t, f, seeds(40, short), (*race).run)
}

func runParallel(t *testing.T, f *Fleet, cases int, run func(*race)) {
	t.Helper()
	for seed := range cases {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			run(newRace(t, f, seed))
		})
	}
}

// MemberRaces does the same as [Races] with clients that also change labels and taints of the members. Taints would keep away the placements of other tests, so
// nothing runs in parallel. There are 20 cases; a short run has only the first ones.
func MemberRaces(t *testing.T, f *Fleet, short int) {
	t.Helper()
	for seed := range seeds(20, short) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRace(t, f, seed)
			r.joinWithLabels()
			r.run()
		})
	}
}

func seeds(all, short int) int {
	if testing.Short() {
		return short
	}
	return all
}

func newRace(t *testing.T, f *Fleet, seed int) *race {
	t.Helper()
	return &race{World: f.World(t, 2), random: rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // a small number
}

// race is one case of [Races].
type race struct {
	*World
	random *rand.Rand
	// label is the label of the members that the placement selects, empty if it selects all members.
	label string

	// agents has the objects that a hub may take over at any time under an applied strategy, whatever a plan shows.
	agents map[string]bool

	mu sync.Mutex
	// records are older states of the engine's records of the placement.
	records map[spot]*unstructured.Unstructured
	// planned has the objects at the time of the plan. left has the objects after the last change by another client. An object that did not exist is nil.
	planned, left map[spot]*unstructured.Unstructured
	log           []string
}

// spot is an object on a cluster.
type spot struct{ cluster, object string }

// raceObjects are the objects of a race.
var raceObjects = []string{"a", "b", "c", "d", "e", "f"}

const raceColors = 3

func (r *race) manifest(object string, color int) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {color: '%d'}}", object, color)
}

// pick returns some of the objects, each with a color.
func (r *race) pick() []string {
	var out []string
	for _, object := range raceObjects {
		if r.random.IntN(3) > 0 {
			out = append(out, r.manifest(object, r.random.IntN(raceColors)))
		}
	}
	if len(out) == 0 {
		out = append(out, r.manifest(raceObjects[0], 0))
	}
	return out
}

func (r *race) run() {
	r.Helper()
	r.putObjects()
	request := r.request(r.pick())
	r.DeleteAtEnd(request)
	// If put is set, an apply first writes the objects to the hub. A hub that already has the placement would act on these writes before the engine compares
	// the plan, so such requests are not applied here.
	for r.random.IntN(3) > 0 && request.put == nil {
		request = request.After(r.Apply(request).Status)
		r.keepAgents(request)
		r.keepRecords(request.Name)
		for range r.random.IntN(3) {
			r.disturb(request)
		}
		again := r.request(r.pick())
		again.ID, again.Again, again.Prior = request.ID, request.Again, request.Prior
		request = again
	}
	preview := r.plan(&request)
	r.left = maps.Clone(r.planned)
	for range 1 + r.random.IntN(3) {
		r.disturb(request)
	}
	r.disturbWrites(request)
	r.apply(request)
	r.check(preview)
}

// putObjects creates some of the objects on the members, as another client.
func (r *race) putObjects() {
	r.Helper()
	for _, cluster := range r.Members {
		for _, object := range raceObjects {
			if r.random.IntN(4) == 0 {
				r.Put(cluster, r.manifest(object, r.random.IntN(raceColors)))
			}
		}
	}
}

// plan previews a request, sets the preview as the expectation of the apply, and saves the objects.
func (r *race) plan(request *Request) *engine.Preview {
	r.Helper()
	preview, err := request.Preview(r.Context(), r.Engine())
	if err != nil {
		r.Fatal(err)
	}
	if request.Expected, err = engine.ParseExpectation(engine.Expect(preview).String()); err != nil {
		r.Fatal(err)
	}
	r.planned = r.readObjects()
	return preview
}

// readObjects returns the current objects of the race, nil for one that does not exist.
func (r *race) readObjects() map[spot]*unstructured.Unstructured {
	r.Helper()
	out := map[spot]*unstructured.Unstructured{}
	for _, cluster := range r.Members {
		for _, object := range raceObjects {
			out[spot{cluster, object}] = r.Find(cluster, "v1 ConfigMap "+object)
		}
	}
	return out
}

func (r *race) request(manifests []string) Request {
	r.Helper()
	out := r.Placing("$ns-race", manifests...)
	if r.label != "" {
		out.Spec.Policy = selectingMembers(r.label)
	}
	return r.Supplied(out.Strategy(placement.ApplyStrategy{WhenToTakeOver: []placement.WhenToTakeOver{
		placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever,
	}[r.random.IntN(3)]}))
}

// keepAgents saves which objects a hub may take over under the strategies of the given requests. It replaces the objects saved before.
func (r *race) keepAgents(applied ...Request) {
	r.Helper()
	r.agents = map[string]bool{}
	for _, request := range applied {
		if request.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverNever {
			continue
		}
		for _, text := range request.Manifests {
			r.agents[r.Objects(text)[0].GetName()] = true
		}
	}
}

// disturbWrites makes a change during the writes of the apply. It does nothing with a hub: once the engine has written the placement, the hub's agents write to
// the members, and no engine can stop them if an object has changed since.
func (r *race) disturbWrites(request Request) {
	if r.Fleet.Subject.NeedsHub {
		return
	}
	after, count := 1+r.random.IntN(8), 0
	r.Inject(clusters.Fault{
		Match: func(one clusters.Request) bool { return one.Write() && !one.DryRun },
		Hook: func(clusters.Request) {
			r.mu.Lock()
			count++
			meets := count == after
			r.mu.Unlock()
			if meets {
				r.disturb(request)
			}
		},
	})
}

// disturb makes a change as another client. A hub that has the placement acts on labels without an apply, so disturb then does not change labels.
func (r *race) disturb(request Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	actsAtOnce := r.Fleet.Subject.NeedsHub && request.Again
	switch {
	case r.label != "" && !actsAtOnce && r.random.IntN(2) == 0:
		r.disturbMember()
	case len(r.records) > 0 && r.random.IntN(4) == 0:
		r.disturbRecord()
	default:
		r.disturbObject()
	}
}

// disturbObject creates, changes, replaces or deletes an object on a member. The change may fail because the engine writes the object at the same moment.
func (r *race) disturbObject() {
	at := spot{r.Members[r.random.IntN(len(r.Members))], raceObjects[r.random.IntN(len(raceObjects))]}
	name := "v1 ConfigMap " + at.object
	ref, other := r.Ref(at.cluster, name), r.On(at.cluster).As(fixture.Manager)
	live, err := other.Find(r.Context(), ref)
	wanted := r.Objects(r.manifest(at.object, r.random.IntN(raceColors+1)))[0]
	how := "create"
	switch {
	case err != nil:
	case live == nil:
		_, err = other.Add(r.Context(), wanted, false)
	case r.random.IntN(3) == 0:
		how, err = "delete", other.Drop(r.Context(), live)
	case r.random.IntN(2) == 0:
		how = "replace"
		if err = other.Drop(r.Context(), live); err == nil {
			_, err = other.Add(r.Context(), wanted, false)
		}
	default:
		how, err = "change", other.Merge(r.Context(), ref, fmt.Appendf(nil, `{"data":{"color":%q}}`, colorOf(wanted)), "", false)
	}
	r.log = append(r.log, fmt.Sprintf("%s %s on %s, color %s: %v", how, at.object, at.cluster, colorOf(wanted), err))
	if now, err := other.Find(r.Context(), ref); err == nil && r.left != nil {
		r.left[at] = now
	}
}

// apply applies the request and waits until the control plane has settled. An engine may return an error before it writes if the plan no longer holds.
func (r *race) apply(request Request) {
	r.Helper()
	e := r.Engine()
	result, err := request.Apply(r.Context(), e)
	if _, refused := errors.AsType[*engine.ContradictionError](err); refused {
		return
	}
	if result == nil {
		r.Fatalf("%v\n%s", err, strings.Join(r.log, "\n"))
	}
	if r.Fleet.Subject.Settle != nil {
		if err := r.Fleet.Subject.Settle(r.Context(), e, request.Name); err != nil {
			r.Fatal(err)
		}
	}
}

// check compares the objects with their state after the changes of other clients, and with the plan.
func (r *race) check(preview *engine.Preview) {
	r.Helper()
	for at, left := range r.left {
		is := r.Find(at.cluster, "v1 ConfigMap "+at.object)
		if sameContent(is, left) {
			continue
		}
		shown, picked := shownOn(preview, at.cluster, at.object)
		switch {
		case shown.Action == "" && !picked:
			r.Errorf("%s changed on %s, which the plan does not pick: others left %s, now %s\n%s", at.object, at.cluster, contentOf(left), contentOf(is),
				strings.Join(r.log, "\n"))
		case r.Fleet.Subject.NeedsHub && (shown.Owned || r.agents[at.object]):
			// Agents revert changes of the placement's own objects at any time.
		case r.Fleet.Subject.NeedsHub && shown.Action == takeover.ActionCreate && left != nil && r.Fleet.Subject.Marked(left):
			// Agents had recreated the object in the meantime, after another client had deleted it.
		case !mayChange(shown.Action, left, r.planned[at]):
			r.Errorf("%s on %s: the plan shows %q, others left %s, now %s\n%s", at.object, at.cluster, shown.Action, contentOf(left), contentOf(is),
				strings.Join(r.log, "\n"))
		}
	}
}

// mayChange reports whether the action shown in the plan allows a change of the object that other clients left. planned is the object when the plan was made.
func mayChange(shown takeover.Action, left, planned *unstructured.Unstructured) bool {
	if left == nil { // deleted or never created
		return mayCreate(shown)
	}
	switch shown {
	case takeover.ActionTakeOver, takeover.ActionUpdate:
		return sameContent(left, planned)
	case takeover.ActionReplace, takeover.ActionPrune, takeover.ActionOrphan:
		return planned != nil && left.GetUID() == planned.GetUID()
	case takeover.ActionCreate, // another client's new object must remain unchanged
		takeover.ActionNone, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport, takeover.ActionDefer,
		takeover.ActionTakeOverFrom, takeover.ActionHandOver, takeover.ActionUnknown:
	}
	return false
}

// mayCreate reports whether an apply may create an object that does not exist, if the plan shows an action for it. An apply decides again about every object
// that the placement places, and creates it if it does not exist, because this overwrites and deletes nothing. This includes an object that the plan leaves
// alone or rejects. No engine creates an object that the plan does not show, that it only reports on, or that is no longer placed (for example prune, orphan).
// ActionNone can also be for an object that is no longer placed: a hub may recreate it until the apply has removed it from the placement.
func mayCreate(shown takeover.Action) bool {
	return shown.Places() || shown.Leaves() || shown == takeover.ActionReject
}

func shownOn(preview *engine.Preview, cluster, object string) (shown engine.ObjectPreview, picked bool) {
	for _, c := range preview.Clusters {
		if c.Name != cluster {
			continue
		}
		if i := slices.IndexFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Kind == "ConfigMap" && o.Name == object }); i >= 0 {
			return c.Objects[i], c.Picked
		}
		return engine.ObjectPreview{}, c.Picked
	}
	return engine.ObjectPreview{}, false
}

// sameContent reports whether a and b are the same object with the same color and deletion state.
func sameContent(a, b *unstructured.Unstructured) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.GetUID() == b.GetUID() && colorOf(a) == colorOf(b) && reflect.DeepEqual(a.GetDeletionTimestamp(), b.GetDeletionTimestamp())
}

func colorOf(u *unstructured.Unstructured) string {
	out, _, _ := unstructured.NestedString(u.Object, "data", "color")
	return out
}

func contentOf(u *unstructured.Unstructured) string {
	if u == nil {
		return "nothing"
	}
	return fmt.Sprintf("color %s (UID %s)", colorOf(u), u.GetUID())
}
