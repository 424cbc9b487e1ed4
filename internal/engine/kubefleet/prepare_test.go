package kubefleet_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func takingOver(when placement.WhenToTakeOver) placement.Strategy {
	return placement.Strategy{
		ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: when}, RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%"},
	}
}

func on(members ...string) *placement.Policy {
	return &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: members}
}

// reordered are changes after which a hub must not apply the new apply strategy to the former content of the members. Each would take over a pre-existing
// object: on a cluster that the placement leaves, with an earlier content, or from another envelope.
var reordered = map[string]struct {
	member        int
	before, after func(c *change)
}{
	"a cluster is left": {
		member: 2,
		before: func(c *change) { c.policy, c.values = on(c.Members...), map[string]string{"a": "1", "b": "1"} },
		after:  func(c *change) { c.policy = on(c.Members[:2]...) },
	},
	"an object is not selected any more": {
		before: func(c *change) { c.policy, c.values = on(c.Members...), map[string]string{"a": "1", "b": "1"} },
		after:  func(c *change) { c.values = map[string]string{"b": "1"} },
	},
	"an object comes from elsewhere": {
		before: func(c *change) {
			c.policy, c.values, c.enveloped = on(c.Members...), map[string]string{"a": "1", "b": "1"}, map[string]bool{"a": true}
		},
		after: func(c *change) { c.enveloped = nil },
	},
	"an object changes": {
		before: func(c *change) { // the content is equal only in an envelope: the hub's own copy has a label
			c.policy, c.values, c.enveloped = on(c.Members...), map[string]string{"a": "theirs", "b": "1"}, map[string]bool{"a": true}
		},
		after: func(c *change) { c.values = map[string]string{"a": "2", "b": "1"} },
	},
}

// A new apply strategy takes effect only after the rest of the change is rolled out.
func TestApplyStrategyLast(t *testing.T) {
	t.Parallel()
	for name, of := range reordered {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "a cluster is left" {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			c := newChange(t, 0)
			c.tidyAtEnd()
			c.Put(c.Members[of.member], c.role("a", "theirs", ""))
			c.strategy = takingOver(placement.TakeOverNever)
			of.before(c)
			request, _ := c.step(enginetest.Request{}, 0)
			of.after(c)
			c.strategy = takingOver(placement.TakeOverIfNoDiff)
			if name != "an object changes" {
				c.strategy = takingOver(placement.TakeOverAlways)
			}
			request, _ = c.step(request, 0)
			if c.preview(request).Pending() {
				t.Error("there is something left to do")
			}
		})
	}
}

// TestResultOfPreparedChange checks that an apply returns a result if the hub has accepted the change with the current apply strategy, and then rejects the new
// one.
func TestResultOfPreparedChange(t *testing.T) {
	t.Parallel()
	c := newChange(t, 0)
	c.tidyAtEnd()
	c.Put(c.Members[2], c.role("a", "theirs", ""))
	c.policy, c.values, c.strategy = on(c.Members...), map[string]string{"a": "1", "b": "1"}, takingOver(placement.TakeOverNever)
	request, _ := c.step(enginetest.Request{}, 0)
	c.policy, c.strategy = on(c.Members[:2]...), takingOver(placement.TakeOverAlways)
	request = c.request(request)
	request.Expected = engine.Expect(c.preview(request))
	another, generation := c.Another(), c.generation()
	another.Inject(clusters.Fault{Context: c.Env.Hub, Match: func(r clusters.Request) bool {
		return r.Write() && strings.HasSuffix(r.Path, "/clusterresourceplacements/"+c.Name) && c.generation() > generation
	}, Status: http.StatusForbidden})
	result, err := request.Apply(c.Context(), another.Engine())
	if err == nil || c.generation() == generation {
		t.Fatalf("the hub has not accepted the first write or has not rejected the second: %v", err)
	}
	if result == nil || len(result.Status.Clusters) == 0 {
		t.Errorf("no result: %+v, %v", result, err)
	}
}

// An apply that is killed after any write has changed only objects that its plan shows. The next apply completes the change.
func TestKilledAfterEveryWrite(t *testing.T) {
	t.Parallel()
	for write := 1; write <= 3; write++ {
		if testing.Short() && write != 1 {
			continue
		}
		t.Run(fmt.Sprint(write), func(t *testing.T) {
			t.Parallel()
			c := newChange(t, 0)
			c.tidyAtEnd()
			c.Put(c.Members[2], c.role("a", "theirs", ""))
			c.policy, c.values, c.strategy = on(c.Members...), map[string]string{"a": "1", "b": "1", "c": "1"}, takingOver(placement.TakeOverNever)
			request, _ := c.step(enginetest.Request{}, 0)
			c.policy, c.values, c.strategy = on(c.Members[:2]...), map[string]string{"a": "2", "b": "1", "d": "1"}, takingOver(placement.TakeOverAlways)
			request, writes := c.step(request, write)
			t.Logf("killed after write %d of %d", write, writes)
			request, _ = c.step(request, 0)
			if c.preview(request).Pending() {
				t.Error("there is something left to do")
			}
		})
	}
}
