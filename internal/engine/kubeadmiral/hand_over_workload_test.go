package kubeadmiral_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// database is a StatefulSet with a claim, its Service, and its ConfigMap.
var database = []string{
	"{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}",
	`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: $ns-app}, spec: {serviceName: db, replicas: 1, selector: {matchLabels: {app: db}},
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: nginx}]}},
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}`,
	"{apiVersion: v1, kind: Service, metadata: {name: db, namespace: $ns-app}, spec: {selector: {app: db}, ports: [{port: 80}]}}",
	"{apiVersion: v1, kind: ConfigMap, metadata: {name: db, namespace: $ns-app}, data: {value: '1'}}",
}

// databaseObjects are the objects of the database on members. The members' controllers create the claim and the Pod.
var databaseObjects = []string{
	"v1 Namespace $ns-app", "apps/v1 StatefulSet $ns-app/db", "v1 Service $ns-app/db", "v1 ConfigMap $ns-app/db", "v1 PersistentVolumeClaim $ns-app/data-db-0", "v1 Pod $ns-app/db-0",
}

// shape is a variant of the hand-over of the database.
type shape struct {
	// moving are the indices of the manifests that web takes over. removed reports that no configuration manages bulk any more.
	moving  []int
	removed bool
	// exists reports that web already exists before the hand-over, with another object.
	exists bool
	policy *placement.Policy
	writes int
}

var shapes = map[string]shape{
	"split":  {moving: []int{1, 2}, writes: 5},
	"merge":  {moving: []int{0, 1, 2, 3}, removed: true, exists: true, writes: 9},
	"move":   {moving: []int{1, 2}, exists: true, policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}, writes: 6},
	"rename": {moving: []int{0, 1, 2, 3}, removed: true, policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}, writes: 8},
}

// moved is a world in which bulk has the database, and web takes over a part of it.
type moved struct {
	*enginetest.World
	shape

	bulk, web enginetest.Request
}

func newMoved(t *testing.T, s shape) *moved {
	t.Helper()
	m := &moved{World: fleet.World(t, 2), shape: s}
	part := func(name string, of ...string) enginetest.Request {
		out := m.Placing("$ns-"+name, of...)
		out.Spec.Policy = s.policy
		if s.policy == nil {
			out.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: m.Members}
		}
		return out
	}
	other := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns-other}}"
	m.bulk = part("bulk", database...)
	m.bulk = m.bulk.After(applied(t, m.World, m.bulk).Status)
	var keeps, takes []string
	for i, text := range database {
		if slices.Contains(s.moving, i) {
			takes = append(takes, text)
		} else {
			keeps = append(keeps, text)
		}
	}
	m.bulk.Manifests = m.Manifests(keeps...)
	if s.exists {
		m.web = part("web", other)
		m.web = m.web.After(applied(t, m.World, m.web).Status)
		takes = append(takes, other)
	} else {
		m.web = part("web")
	}
	m.web.Manifests = m.Manifests(takes...)
	m.web.TakesOverFrom = []engine.Giver{{Name: m.bulk.Name, Removed: s.removed}}
	for _, member := range m.Members {
		m.Eventually("the Pod of the StatefulSet is on "+member, func() bool { return m.Find(member, "v1 Pod $ns-app/db-0") != nil })
	}
	return m
}

// uids returns the UIDs of the objects on the members.
func (m *moved) uids() map[string]string {
	m.Helper()
	out := map[string]string{}
	for _, member := range m.Members {
		for _, object := range databaseObjects {
			out[member+" "+object] = "none"
			if u := m.Find(member, object); u != nil && u.GetDeletionTimestamp() == nil {
				out[member+" "+object] = string(u.GetUID())
			}
		}
	}
	return out
}

// apply applies a request, and waits after every write until the control plane has processed it. It kills the apply after the write with the number kill; 0
// disables this.
func (m *moved) apply(request enginetest.Request, kill int) (result *engine.Result, writes int, err error) {
	m.Helper()
	again := m.Another()
	ctx, cancel := context.WithCancel(m.Context())
	defer cancel()
	var one sync.Mutex // an apply writes to several clusters concurrently
	again.Inject(clusters.Fault{Match: clusters.Writes, Then: func(clusters.Request) {
		one.Lock()
		defer one.Unlock()
		writes++
		if plane != nil {
			for _, kind := range []schema.GroupVersionKind{
				{Group: "apps", Version: "v1", Kind: "StatefulSet"}, {Version: "v1", Kind: "Service"}, {Version: "v1", Kind: "ConfigMap"},
			} {
				if err := plane.Rest(context.Background(), m.Expand("$ns-app"), kind); err != nil {
					m.Error(err)
				}
			}
		}
		if writes == kill {
			cancel()
		}
	}})
	result, err = request.Apply(ctx, again.Engine())
	one.Lock()
	defer one.Unlock()
	return result, writes, err
}

// run plans and applies web, and bulk if a configuration manages it. It kills the apply of web after the write with the number kill; 0 disables this.
func (m *moved) run(t *testing.T, kill int) {
	t.Helper()
	m.web.Expected, m.bulk.Expected, m.bulk.Takers = nil, nil, nil
	web := previewed(t, m.World, m.web)
	m.web.Expected = engine.Expect(web)
	var bulk *engine.Preview
	if !m.removed {
		m.bulk.Takers = engine.Takers{engine.NewTaker(m.web.Name, m.web.TakesOverFrom[0], web)}
		bulk = previewed(t, m.World, m.bulk)
		m.bulk.Expected = engine.Expect(bulk)
	}
	for _, preview := range []*engine.Preview{web, bulk} {
		if preview == nil {
			continue
		}
		for _, c := range preview.Clusters {
			for _, o := range c.Objects {
				if o.Action == takeover.ActionPrune || o.Conflict() {
					t.Errorf("the plan of %s shows %+v on %s", preview.Placement, o, c.Name)
				}
			}
		}
	}
	result, writes, err := m.apply(m.web, kill)
	t.Logf("web: %d writes, killed after %d: %v", writes, kill, err)
	if kill > 0 {
		return
	}
	if err != nil || result.TimedOut {
		t.Fatalf("%+v %v; errors of the control plane: %v", result, err, lastError())
	}
	m.web = m.web.After(result.Status)
	if m.removed {
		return
	}
	if result, _, err = m.apply(m.bulk, 0); err != nil || result.TimedOut {
		t.Fatalf("%+v %v; errors of the control plane: %v", result, err, lastError())
	}
	m.bulk = m.bulk.After(result.Status)
}

// complete fails the test unless both plans are empty and each placement has the expected objects. Then it deletes the placements, and fails the test if their
// objects remain.
func (m *moved) complete(t *testing.T) {
	t.Helper()
	policy := v1alpha1.GroupVersion.String() + " ClusterPropagationPolicy "
	for i, object := range []string{"", "apps/v1 StatefulSet $ns-app/db", "v1 Service $ns-app/db", "v1 ConfigMap $ns-app/db"} {
		if object == "" {
			continue
		}
		want := m.bulk.Name
		if slices.Contains(m.moving, i) {
			want = m.web.Name
		}
		if label := m.Must(m.Env.Hub, object).GetLabels()[v1alpha1.ClusterPolicyLabel]; label != want {
			t.Errorf("the policy %q has %s", label, object)
		}
	}
	m.web.Expected, m.bulk.Expected, m.bulk.Takers = nil, nil, nil
	requests := []enginetest.Request{m.bulk, m.web}
	if m.removed {
		gone(t, m.World, policy+m.bulk.Name, m.Env.Hub)
		requests = requests[1:]
	}
	for _, request := range requests {
		if preview := previewed(t, m.World, request); preview.Pending() {
			t.Errorf("%s: there is something left to do: %+v", request.Name, preview.Clusters)
		}
	}
	if !m.removed { // bulk has the Namespace, so it is deleted last
		slices.Reverse(requests)
	}
	for _, request := range requests {
		m.Delete(request)
		gone(t, m.World, policy+request.Name, m.Env.Hub)
	}
	for _, object := range databaseObjects[1:4] { // the claim blocks the deletion of the Namespace, because the members' controllers keep it
		gone(t, m.World, object, everywhere(m.World)...)
	}
}

// A StatefulSet with its claim, its Service and its Namespace change their placement without being deleted or recreated.
func TestHandOverOfWorkload(t *testing.T) {
	t.Parallel()
	for name, s := range shapes {
		for write := 0; write <= s.writes; write++ {
			if testing.Short() && (name != "rename" || write != 0) {
				continue
			}
			t.Run(fmt.Sprintf("%s, killed after write %d", name, write), func(t *testing.T) {
				t.Parallel()
				m := newMoved(t, s)
				before := m.uids()
				for object, uid := range before {
					if uid == "none" {
						t.Errorf("there is no %s", object)
					}
				}
				if write > 0 {
					m.run(t, write)
					if diff := cmp.Diff(before, m.uids()); diff != "" {
						t.Errorf("after the interruption: %s", diff)
					}
					m.web.Again = m.web.Again || m.Find(m.Env.Hub, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy "+m.web.Name) != nil
				}
				m.run(t, 0)
				if diff := cmp.Diff(before, m.uids()); diff != "" {
					t.Errorf("after the hand-over: %s", diff)
				}
				m.complete(t)
			})
		}
	}
}
