package hubs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var env *clusters.Env

// left are the placements that tests of another package left on the clusters. The agents of that package have ended.
var left []string

// agents are the agents of the hub and of its only member. They run as long as the tests.
var agents = sync.OnceValues(func() (*fakekubefleet.Hub, error) {
	client, err := env.Client(env.Hub)
	if err != nil {
		return nil, err
	}
	if left, err = placementsOn(context.Background(), client); err != nil {
		return nil, err
	}
	return fakekubefleet.Start(context.Background(), connect(env.Hub, env.Kubeconfig), map[string]*kube.Cluster{
		memberName: connect(memberName, env.Kubeconfig),
	})
})

const memberName = "member-1"

func TestMain(m *testing.M) {
	// The tests change the hub, and stop it.
	os.Exit(clusters.Main(clusters.Func(func() int {
		status := m.Run()
		if env != nil && env.Outlives() {
			if err := leaveClean(); err != nil {
				fmt.Fprintln(os.Stderr, "hubs:", err)
				status = max(status, 1)
			}
		}
		return status
	}), clusters.Options{Members: 1, NoWorkloads: true, Ours: true}, &env))
}

// leaveClean waits until the agents have removed the remaining objects of the tests, and removes the member, because other packages use the clusters next.
func leaveClean() error {
	running, err := agents()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	set := clusterset.New(connect(env.Hub, env.Kubeconfig), map[string]*kube.Cluster{memberName: connect(memberName, env.Kubeconfig)}, 0)
	defer func() {
		for _, cluster := range set.Any() {
			cluster.Close()
		}
	}()
	e, err := kubefleet.New(set)
	if err != nil {
		return err
	}
	client, err := env.Client(env.Hub)
	if err != nil {
		return err
	}
	for own := []string(nil); ; time.Sleep(100 * time.Millisecond) {
		found, err := placementsOn(ctx, client)
		if err != nil {
			return errors.Join(fmt.Errorf("wait until the placements %v are gone: %w", own, err), running.LastError())
		}
		own = slices.DeleteFunc(found, func(name string) bool { return slices.Contains(left, name) })
		if len(own) == 0 {
			break
		}
	}
	if err := e.DeleteMember(ctx, engine.Member{Spec: registration()}); err != nil {
		return err
	}
	running.Close()
	return nil
}

// placementsOn returns the names of the placements on a hub. It returns none if the hub does not serve placements yet.
func placementsOn(ctx context.Context, hub *fixture.Client) ([]string, error) {
	found, err := hub.List(ctx, "placement.kubernetes-fleet.io/v1beta1", "ClusterResourcePlacement", "", "")
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	var out []string
	for _, u := range found {
		out = append(out, u.GetName())
	}
	return out, err
}

func connect(name, kubeconfig string) *kube.Cluster {
	return kube.NewCluster(name, connection.Connection{ConfigPath: kubeconfig, ConfigContext: name}, kube.Options{Timeout: time.Minute}, nil)
}

// hub is a hub with its agents, and a recorded connection to it.
type hub struct {
	*testing.T
	*clusters.Recorder
	client *fixture.Client
	agents *fakekubefleet.Hub
}

// newHub skips the test if there are no clusters.
func newHub(t *testing.T) *hub {
	t.Helper()
	clusters.Need(t, env)
	running, err := agents()
	if err != nil {
		t.Fatal(err)
	}
	client, err := env.Client(env.Hub)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{PlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close() })
	return &hub{T: t, Recorder: recorder, client: client, agents: running}
}

// part returns the same hub for a subtest.
func (h *hub) part(t *testing.T) *hub {
	out := *h
	out.T = t
	return &out
}

// engine returns a new engine without caches. Its requests are recorded.
func (h *hub) engine() *kubefleet.Engine { return h.engineAt(h.Kubeconfig()) }

func (h *hub) engineAt(kubeconfig string) *kubefleet.Engine {
	h.Helper()
	set := clusterset.New(connect(env.Hub, kubeconfig), map[string]*kube.Cluster{memberName: connect(memberName, kubeconfig)}, 0)
	h.Cleanup(func() {
		for _, cluster := range set.Any() {
			cluster.Close()
		}
	})
	e, err := kubefleet.New(set)
	if err != nil {
		h.Fatal(err)
	}
	e.SetPace(kubefleet.Pace{Pace: controlplane.Pace{Interval: 50 * time.Millisecond, Silence: kubefleet.DefaultPace.Silence}, Collect: 2 * time.Second, Retry: 2 * time.Second})
	return e
}

// put creates objects on the hub, as another client.
func (h *hub) put(text string) {
	h.Helper()
	objects, err := fixture.Parse([]byte(text))
	if err != nil {
		h.Fatal(err)
	}
	for _, u := range objects {
		if _, err := h.client.Add(h.Context(), u, false); err != nil {
			h.Fatal(err)
		}
		if u.GroupVersionKind().Group == "" || u.GroupVersionKind().Group == "rbac.authorization.k8s.io" {
			continue // no other test uses these names, and deleting the contents of a Namespace takes long
		}
		h.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			live, err := h.client.Find(ctx, fixture.RefOf(u))
			if err != nil || live == nil {
				return
			}
			_ = h.client.Drop(ctx, live)
			for ; u.GetKind() == "MemberCluster" && live != nil && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
				live, _ = h.client.Find(ctx, fixture.RefOf(u)) // the next test registers the member again
			}
		})
	}
}

// registration is the spec of the only member.
func registration() member.Spec {
	return member.Spec{Name: memberName, Labels: map[string]string{"region": "east"}, HeartbeatPeriodSeconds: new(int32(30))}
}

// joining is locked while a test registers the member. The member remains for later tests.
var joining sync.Mutex

// join registers the member, unless another test has already registered it, and waits until it has joined.
func (h *hub) join(e *kubefleet.Engine) {
	h.Helper()
	joining.Lock()
	defer joining.Unlock()
	if h.stored(registered) == nil {
		if _, err := e.ApplyMember(h.Context(), engine.Member{Spec: registration()}, nil); err != nil {
			h.Fatal(err)
		}
	}
	h.joined(e)
}

// registered is the member on the hub.
var registered = fixture.ParseRef("cluster.kubernetes-fleet.io/v1beta1 MemberCluster " + memberName)

// leave removes the member that another test has registered.
func (h *hub) leave() {
	h.Helper()
	if h.stored(registered) == nil {
		return
	}
	if err := h.engineAt(env.Kubeconfig).DeleteMember(h.Context(), engine.Member{Spec: registration()}); err != nil {
		h.Fatal(err, h.agents.LastError())
	}
}

// joined waits until the member has joined.
func (h *hub) joined(e *kubefleet.Engine) {
	h.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		found, err := e.ReadMember(h.Context(), memberName, nil)
		if err != nil {
			h.Fatal(err)
		}
		if slices.ContainsFunc(found.Status.Conditions, func(c member.Condition) bool { return c.Type == member.Joined && c.Status == "True" }) {
			return
		}
		if time.Now().After(deadline) {
			h.Fatalf("the member does not join: %+v, %v", found.Status, h.agents.LastError())
		}
	}
}

// placing is a placement of a Namespace with all its contents on every member.
func placing(name string) engine.Placement {
	return engine.Placement{Reference: engine.Reference{Name: name}, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Version: "v1", Kind: "Namespace", Name: name},
	}}}
}

// content is a Namespace with an object in it.
func content(name string) string {
	return strings.ReplaceAll(`{apiVersion: v1, kind: Namespace, metadata: {name: $name}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $name}, data: {greeting: hello}}`, "$name", name)
}

// place applies a placement, which must become available. The placement is removed at the end of the test.
func (h *hub) place(e *kubefleet.Engine, p engine.Placement) engine.Placement {
	h.Helper()
	result, err := e.ApplyPlacement(h.Context(), p, engine.ApplyOptions{Create: p.Prior == nil, WaitUntilAvailable: true})
	h.deleteAtEnd(p)
	if err != nil {
		h.Fatal(err)
	}
	if result.TimedOut || !result.Status.Is(placement.Available) {
		h.Fatalf("it is not available: %+v, %v", result, h.agents.LastError())
	}
	p.Prior = &result.Status
	return p
}

// deleteAtEnd removes a placement at the end of the test. In a short run it does not wait until the member is clean.
func (h *hub) deleteAtEnd(p engine.Placement) {
	h.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		live, err := h.client.Find(ctx, fixture.ParseRef(placementAPI+"ClusterResourcePlacement "+p.Name))
		if testing.Short() && err == nil && live != nil {
			if err := h.client.Drop(ctx, live); err != nil {
				h.Error(err)
			}
			return
		}
		p.Prior = nil
		if _, err := h.engineAt(env.Kubeconfig).DeletePlacement(ctx, p, engine.DeleteOptions{}); err != nil {
			h.Error(err, h.agents.LastError())
		}
	})
}

// idle fails the test if anything was written since the recording was last reset.
func (h *hub) idle(what string) {
	h.Helper()
	if writes := h.Writes(); len(writes) > 0 {
		h.Errorf("%s: %v", what, writes)
	}
}
