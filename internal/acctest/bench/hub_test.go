package bench_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const (
	// membersOfHub is the number of members registered on the hub. They have no clusters.
	membersOfHub = 1000
	// failedObjects is the number of failed objects of one placement on each of failedClusters clusters.
	failedClusters, failedObjects = 100, 100
)

// BenchmarkHub measures the requests of a plan to a KubeFleet hub.
func BenchmarkHub(b *testing.B) {
	env, err := clusters.Start(b.Context(), clusters.Options{NoWorkloads: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := env.Stop(); err != nil {
			b.Error(err)
		}
	})
	registerMembers(b, env)
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{PlainHTTP: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = recorder.Close() })
	b.Run("plan", func(b *testing.B) { benchmarkHubPlan(b, env) })
	b.Run("stands", func(b *testing.B) { benchmarkHubStands(b, env) })
	b.Run("failures", func(b *testing.B) { benchmarkHubFailures(b, recorder) })
}

// registerMembers makes a cluster a KubeFleet hub without agents, and registers members.
func registerMembers(b *testing.B, env *clusters.Env) {
	b.Helper()
	client, err := env.Client(env.Hub)
	if err != nil {
		b.Fatal(err)
	}
	definitions, err := crds.Definitions()
	if err != nil {
		b.Fatal(err)
	}
	for _, definition := range definitions {
		if _, err := client.Add(b.Context(), definition, false); err != nil {
			b.Fatal(err)
		}
	}
	register := func(i int) error {
		text := fmt.Sprintf("{apiVersion: cluster.kubernetes-fleet.io/v1beta1, kind: MemberCluster, metadata: {name: member-%d, labels: {region: east}}, "+
			"spec: {identity: {kind: User, name: agent}}}", i)
		return client.Create(b.Context(), []byte(text))
	}
	for deadline := time.Now().Add(time.Minute); register(0) != nil; time.Sleep(100 * time.Millisecond) { // until the kind is served
		if time.Now().After(deadline) {
			b.Fatal("the hub does not serve MemberCluster")
		}
	}
	var group errgroup.Group
	group.SetLimit(16)
	for i := 1; i < membersOfHub; i++ {
		group.Go(func() error { return register(i) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	role := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: placed}}"
	if err := client.Create(b.Context(), []byte(role)); err != nil {
		b.Fatal(err)
	}
}

// hubSessions are consecutive Terraform runs that use a hub.
type hubSessions struct {
	kubeconfig, context string
	cluster             *kube.Cluster
	engine              *kubefleet.Engine
	ended               traffic
}

// next starts a new session.
func (s *hubSessions) next(b *testing.B) {
	if s.cluster != nil {
		s.ended = s.traffic()
		s.cluster.Close()
	}
	s.cluster = kube.NewCluster("hub", connection.Connection{ConfigPath: s.kubeconfig, ConfigContext: s.context}, kube.Options{}, kube.NewLimiter(0))
	var err error
	if s.engine, err = kubefleet.New(clusterset.New(s.cluster, nil, 0)); err != nil {
		b.Fatal(err)
	}
}

func (s *hubSessions) traffic() traffic {
	stats := s.cluster.Stats()
	return s.ended.plus(traffic{stats.Requests, stats.BytesReceived, stats.BytesSent, stats.Dials})
}

func benchmarkHubPlan(b *testing.B, env *clusters.Env) {
	s := &hubSessions{kubeconfig: env.Kubeconfig, context: env.Hub}
	s.next(b)
	p := engine.Placement{Reference: engine.Reference{Name: "placed"}, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "placed"},
	}}}
	what := fmt.Sprintf("plan of a new placement on a hub with %d members", membersOfHub)
	measure(b, 1, what, "discovery included", func() { s.next(b) }, s.traffic, func() {
		got, err := s.engine.Preview(b.Context(), p, engine.PreviewOptions{Create: true})
		if err != nil || len(got.Clusters) != membersOfHub {
			b.Fatalf("%d clusters, %v", len(got.Clusters), err)
		}
	})
}

// completedPlacement is a completed placement on one of the members, and its Work.
const completedPlacement = `
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: standing}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: fleet-member-member-0}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: Work, metadata: {name: standing-work, namespace: fleet-member-member-0,
  labels: {kubernetes-fleet.io/parent-CRP: standing}}, spec: {workload: {manifests: []}}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: standing}, spec: {resourceSelectors: [
  {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: standing}], policy: {placementType: PickFixed, clusterNames: [member-0]}}}
`

// place creates the completed placement.
func place(b *testing.B, env *clusters.Env) {
	b.Helper()
	client, err := env.Client(env.Hub)
	if err == nil {
		err = client.Create(b.Context(), []byte(completedPlacement))
	}
	if err != nil {
		b.Fatal(err)
	}
	var conditions []string
	for _, stage := range []string{placement.Scheduled, placement.RolloutStarted, placement.Overridden, placement.WorkSynchronized, placement.Applied, placement.Available} {
		conditions = append(conditions, fmt.Sprintf(`{"type":%q,"status":"True","reason":"Done","message":"","observedGeneration":1,`+
			`"lastTransitionTime":"2026-01-01T00:00:00Z"}`, placement.ClusterResourcePlacementPrefix+stage))
	}
	status := fmt.Sprintf(`{"status":{"observedResourceIndex":"0","conditions":[%s],"placementStatuses":[{"clusterName":"member-0"}]}}`, strings.Join(conditions, ","))
	ref := fixture.ParseRef("placement.kubernetes-fleet.io/v1beta1 ClusterResourcePlacement standing")
	if err := client.Merge(b.Context(), ref, []byte(status), "status", false); err != nil {
		b.Fatal(err)
	}
}

// benchmarkHubStands measures the refresh and the plan of an unchanged placement.
func benchmarkHubStands(b *testing.B, env *clusters.Env) {
	place(b, env)
	s := &hubSessions{kubeconfig: env.Kubeconfig, context: env.Hub}
	s.next(b)
	p := engine.Placement{Reference: engine.Reference{Name: "standing"}, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "standing"},
	}, Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-0"}}}}
	recorded, err := s.engine.ReadPlacement(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	p.Prior = &recorded.Status
	what := fmt.Sprintf("refresh and plan of an unchanged placement on a hub with %d members", membersOfHub)
	measure(b, 1, what, "discovery included", func() { s.next(b) }, s.traffic, func() {
		if _, err := s.engine.ReadPlacement(b.Context(), p); err != nil {
			b.Fatal(err)
		}
		got, err := s.engine.Preview(b.Context(), p, engine.PreviewOptions{Unchanged: true})
		if err != nil || len(got.Clusters) != membersOfHub || got.Pending() {
			b.Fatalf("%d clusters, %v", len(got.Clusters), err)
		}
	})
}

func benchmarkHubFailures(b *testing.B, recorder *clusters.Recorder) {
	s := &hubSessions{kubeconfig: recorder.Kubeconfig(), context: "hub"}
	s.next(b)
	answer := failing("failing")
	defer recorder.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool { return strings.HasSuffix(r.Path, "/clusterresourceplacements/failing") },
		Answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		},
	})()
	p := engine.Placement{Reference: engine.Reference{Name: "failing"}}
	if _, err := s.engine.ReadPlacement(b.Context(), p); err != nil { // so that the measurement does not include the connection
		b.Fatal(err)
	}
	what := fmt.Sprintf("read of a placement with %d failed objects on each of %d clusters", failedObjects, failedClusters)
	measure(b, 1, what, "connected", nil, s.traffic, func() {
		got, err := s.engine.ReadPlacement(b.Context(), p)
		if err != nil || len(got.Status.Clusters) != failedClusters {
			b.Fatalf("%+v, %v", got, err)
		}
	})
}

// failing returns a placement with many failed objects, as a hub would return it. It is larger than a hub can store.
func failing(name string) []byte {
	var perCluster []string
	for c := range failedClusters {
		var failed []string
		for o := range failedObjects {
			failed = append(failed, fmt.Sprintf(`{"version":"v1","kind":"ConfigMap","namespace":%q,"name":"settings-%d","condition":{"type":"Applied",`+
				`"status":"False","reason":"ManifestApplyFailed","message":"it was refused","lastTransitionTime":"2026-01-01T00:00:00Z"}}`, name, o))
		}
		perCluster = append(perCluster, fmt.Sprintf(`{"clusterName":"member-%03d","failedPlacements":[%s]}`, c, strings.Join(failed, ",")))
	}
	return fmt.Appendf(nil, `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterResourcePlacement","metadata":{"name":%q,"uid":"1"},`+
		`"spec":{"resourceSelectors":[{"group":"","version":"v1","kind":"Namespace","name":%q}]},"status":{"placementStatuses":[%s]}}`,
		name, name, strings.Join(perCluster, ","))
}
