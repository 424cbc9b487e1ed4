package bench_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const (
	// objectsPerMember is the number of objects of one placement on each member: a Namespace and objects of five kinds in it.
	objectsPerMember = 200
	// placementsInOneRun is the number of placements that share their reads. Together they have objectsPerMember objects on each member.
	placementsInOneRun = 10
)

// fleet is a number of members with placements on them.
type fleet struct {
	*clusters.Env
	// web is placed. taken exists on the members without a placement. many are placed, all in one namespace.
	web, taken enginetest.Request
	many       []enginetest.Request
}

// startFleet starts members and places objects on them. It stops them at the end of the benchmark.
func startFleet(b *testing.B, members int) *fleet {
	b.Helper()
	begin := time.Now()
	// Existing clusters are not used: they would need the right number of members, without objects.
	if os.Getenv(clusters.KubeconfigVariable) != "" {
		b.Skipf("%s is set, but the benchmarks start their own clusters", clusters.KubeconfigVariable)
	}
	env, err := clusters.Start(b.Context(), clusters.Options{Members: members, NoHub: true, NoWorkloads: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := env.Stop(); err != nil {
			b.Error(err)
		}
	})
	up := time.Since(begin)
	f := &fleet{Env: env}
	if err := f.fill(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d members started in %s and filled in %s", members, up.Round(time.Second), (time.Since(begin) - up).Round(time.Second))
	return f
}

// fill joins the members and creates all objects that the benchmarks read.
func (f *fleet) fill(ctx context.Context) error {
	run := f.connect(kube.Options{}, nil)
	defer run.close()
	if err := enginetest.Join(ctx, run.engine, f.Members); err != nil {
		return err
	}
	var err error
	if f.web, err = run.place(ctx, placing("web", manifests("web", objectsPerMember, 0))); err != nil {
		return err
	}
	f.taken = placing("taken", manifests("taken", objectsPerMember, 0)).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff})
	if err := run.put(ctx, f.taken.Manifests); err != nil {
		return err
	}
	// The first of the many placements creates their namespace.
	all := manifests("many", objectsPerMember, 0)
	f.many = make([]enginetest.Request, placementsInOneRun)
	for i := range f.many {
		each := objectsPerMember / placementsInOneRun
		texts := map[string]string{}
		for _, key := range sorted(all)[i*each : (i+1)*each] {
			texts[key] = all[key]
		}
		if f.many[i], err = run.place(ctx, placing(fmt.Sprintf("many-%d", i), texts)); err != nil {
			return err
		}
	}
	return nil
}

func placing(name string, texts map[string]string) enginetest.Request {
	return enginetest.Request{Name: name, Manifests: texts}
}

// session is the state of one Terraform run: clients of all members, and an engine.
type session struct {
	fleet   *fleet
	members map[string]*kube.Cluster
	engine  *direct.Engine
}

// connect returns a new session without connections. As in the provider, its clients share one rate limit. others are connections to use for some members
// instead.
func (f *fleet) connect(options kube.Options, others map[string]connection.Connection) *session {
	limiter := kube.NewLimiter(0)
	s := &session{fleet: f, members: map[string]*kube.Cluster{}}
	for _, name := range f.Members {
		at, found := others[name]
		if !found {
			at = connection.Connection{ConfigPath: f.Kubeconfig, ConfigContext: name}
		}
		s.members[name] = kube.NewCluster(name, at, options, limiter)
	}
	s.engine = direct.New(clusterset.New(nil, s.members, 0), "bench")
	return s
}

func (s *session) close() {
	for _, cluster := range s.members {
		cluster.Close()
	}
}

func (s *session) traffic() traffic {
	var out traffic
	for _, cluster := range s.members {
		stats := cluster.Stats()
		out.requests += stats.Requests
		out.received += stats.BytesReceived
		out.sent += stats.BytesSent
		out.dials += stats.Dials
	}
	return out
}

// runs are consecutive sessions, like consecutive runs of Terraform.
type runs struct {
	fleet  *fleet
	others map[string]connection.Connection
	*session
	ended traffic
}

// next starts a new session.
func (r *runs) next() {
	if r.session != nil {
		r.ended = r.ended.plus(r.session.traffic())
		r.close()
	}
	r.session = r.fleet.connect(kube.Options{}, r.others)
}

// traffic returns the sum over all sessions.
func (r *runs) traffic() traffic { return r.ended.plus(r.session.traffic()) }

// place applies a placement and returns the request for the next apply.
func (s *session) place(ctx context.Context, request enginetest.Request) (enginetest.Request, error) {
	result, err := request.Apply(ctx, s.engine)
	if err != nil {
		return request, err
	}
	for name, cluster := range result.Status.Clusters {
		if applied, _ := cluster.Condition(placement.Applied); applied.Status != placement.True {
			return request, fmt.Errorf("placement %s on %s: %+v", request.Name, name, cluster)
		}
	}
	return request.After(result.Status), nil
}

// put creates objects on all members as another client.
func (s *session) put(ctx context.Context, texts map[string]string) error {
	return concurrently(clusterset.DefaultAtOnce, s.fleet.Members, func(name string) error {
		client, err := s.fleet.Client(name)
		if err != nil {
			return err
		}
		for _, key := range sorted(texts) {
			if err := client.As("somebody").Create(ctx, []byte(texts[key])); err != nil {
				return err
			}
		}
		return nil
	})
}

// manifests returns count objects: a Namespace, which has the first key, and objects in it. The first of these, as many as different says, have another value.
func manifests(namespace string, count, different int) map[string]string {
	texts := map[string]string{key(0): fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {team: bench}}}", namespace)}
	for i := 1; i < count; i++ {
		value := "one"
		if i <= different {
			value = "two"
		}
		template := kinds[i%len(kinds)]
		texts[key(i)] = strings.NewReplacer("$NAMESPACE", namespace, "$NAME", fmt.Sprintf("object-%03d", i), "$VALUE", value,
			"$BASE64", base64.StdEncoding.EncodeToString([]byte(value))).Replace(template)
	}
	return texts
}

func key(i int) string { return fmt.Sprintf("%03d.yaml", i) }

// kinds are the most common kinds of applications. Each has a field with the value $VALUE.
var kinds = []string{`apiVersion: apps/v1
kind: Deployment
metadata:
  name: $NAME
  namespace: $NAMESPACE
  labels: {app: $NAME, team: bench}
spec:
  replicas: 2
  selector: {matchLabels: {app: $NAME}}
  template:
    metadata: {labels: {app: $NAME, team: bench}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1.2.3
        env: [{name: VALUE, value: $VALUE}, {name: LEVEL, value: info}]
        ports: [{name: http, containerPort: 8080}]
        resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
        readinessProbe: {httpGet: {path: /ready, port: http}, periodSeconds: 5}
      - name: proxy
        image: registry.example/proxy:4.5.6
        args: ["--listen=:9090", "--upstream=127.0.0.1:8080"]
`, `apiVersion: v1
kind: Service
metadata:
  name: $NAME
  namespace: $NAMESPACE
  labels: {app: $NAME, value: $VALUE}
spec:
  selector: {app: $NAME}
  clusterIP: None
  ports: [{name: http, port: 80, targetPort: http}, {name: metrics, port: 9090}]
`, `apiVersion: v1
kind: ConfigMap
metadata: {name: $NAME, namespace: $NAMESPACE}
data:
  value: $VALUE
  settings.yaml: |
    listen: 0.0.0.0:8080
    log: {level: info, format: json}
    upstreams: [a.example:443, b.example:443, c.example:443]
`, `apiVersion: v1
kind: Secret
metadata: {name: $NAME, namespace: $NAMESPACE}
data: {value: $BASE64}
`, `apiVersion: v1
kind: ServiceAccount
metadata:
  name: $NAME
  namespace: $NAMESPACE
  annotations: {bench.example/value: $VALUE}
automountServiceAccountToken: false
`}

// concurrently runs work for every item, with at most limit in parallel, and returns the first error.
func concurrently[T any](limit int, items []T, work func(T) error) error {
	var group errgroup.Group
	group.SetLimit(limit)
	for _, item := range items {
		group.Go(func() error { return work(item) })
	}
	return group.Wait()
}

func sorted(texts map[string]string) []string { return slices.Sorted(maps.Keys(texts)) }
