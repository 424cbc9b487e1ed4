package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// writesAtOnce is the number of parallel writes of the bare loop to one member, the same as the engine's.
const writesAtOnce = 8

// objectsToWrite returns the objects of one placement in an existing namespace. The benchmark creates no namespace, because the time to delete one depends
// only on the cluster.
func objectsToWrite(namespace string) map[string]string { return changedObjects(namespace, 0) }

// changedObjects returns the same objects, the first ones with another value.
func changedObjects(namespace string, different int) map[string]string {
	out := manifests(namespace, objectsPerMember+1, different)
	delete(out, key(0))
	return out
}

// plurals are the paths of the kinds.
var plurals = map[string]string{
	"Deployment": "/apis/apps/v1/namespaces/%s/deployments", "Service": "/api/v1/namespaces/%s/services",
	"ConfigMap": "/api/v1/namespaces/%s/configmaps", "Secret": "/api/v1/namespaces/%s/secrets",
	"ServiceAccount": "/api/v1/namespaces/%s/serviceaccounts",
}

// write is one request of the bare loop.
type write struct {
	path, name string
	body       []byte
}

func bareWrites(b *testing.B, texts map[string]string) []write {
	b.Helper()
	var out []write
	for _, key := range sorted(texts) {
		objects, err := fixture.Parse([]byte(texts[key]))
		if err != nil {
			b.Fatal(err)
		}
		for _, u := range objects {
			out = append(out, bareWrite(b, u))
		}
	}
	return out
}

func bareWrite(b *testing.B, u *unstructured.Unstructured) write {
	b.Helper()
	body, err := json.Marshal(u)
	if err != nil {
		b.Fatal(err)
	}
	return write{path: fmt.Sprintf(plurals[u.GetKind()], u.GetNamespace()), name: u.GetName(), body: body}
}

// send sends every write to all members, with as many in parallel as the engine.
func (c *bareClient) send(ctx context.Context, members []string, method string, writes []write) error {
	return concurrently(clusterset.DefaultAtOnce, members, func(name string) error {
		return concurrently(writesAtOnce, writes, func(w write) error {
			path, body, content := w.path, w.body, "application/json"
			switch method {
			case http.MethodDelete:
				path, body = path+"/"+w.name, nil
			case http.MethodPatch:
				path, content = path+"/"+w.name, "application/merge-patch+json"
			}
			request, err := http.NewRequestWithContext(ctx, method, c.hosts[name]+path, bytes.NewReader(body))
			if err != nil {
				return err
			}
			request.Header.Set("Content-Type", content)
			c.requests.Add(1)
			response, err := c.clients[name].Do(request)
			if err != nil {
				return err
			}
			defer func() { _ = response.Body.Close() }()
			if response.StatusCode >= http.StatusBadRequest {
				return fmt.Errorf("%s %s %s: %s", name, method, path, response.Status)
			}
			_, err = io.Copy(io.Discard, response.Body)
			return err
		})
	})
}

// BenchmarkApply measures applies and removals on fleets, and for comparison bare writes, kubectl apply and Terraform.
func BenchmarkApply(b *testing.B) {
	for _, members := range sizes(b) {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			f := startFleet(b, members)
			begin := f.connect(kube.Options{}, nil)
			if err := begin.put(b.Context(), map[string]string{"": "{apiVersion: v1, kind: Namespace, metadata: {name: written}}"}); err != nil {
				b.Fatal(err)
			}
			begin.close()
			writes := bareWrites(b, objectsToWrite("written"))
			client := newBare(b, f)
			defer client.close()
			b.Run("bare", func(b *testing.B) { benchmarkBareWrites(b, f, client, writes) })
			b.Run("bare changes", func(b *testing.B) { benchmarkBareChanges(b, f, client) })
			b.Run("engine", func(b *testing.B) { benchmarkEngineWrites(b, f) })
			b.Run("kubectl", func(b *testing.B) {
				benchmarkKubectlApply(b, f, objectsToWrite("written"))
				if err := client.send(b.Context(), f.Members[:min(len(f.Members), kubectlSample)], http.MethodDelete, writes); err != nil {
					b.Fatal(err)
				}
			})
			b.Run("terraform", func(b *testing.B) { benchmarkTerraform(b, f) })
		})
	}
}

func benchmarkBareWrites(b *testing.B, f *fleet, client *bareClient, writes []write) {
	run := func(method string) func() {
		return func() {
			if err := client.send(b.Context(), f.Members, method, writes); err != nil {
				b.Fatal(err)
			}
		}
	}
	made := false
	undo := func() {
		if made {
			run(http.MethodDelete)()
		}
		made = true
		client.close()
	}
	measure(b, len(f.Members), "bare creates", "net/http, 8 in parallel to a member", undo, client.traffic, run(http.MethodPost))
	run(http.MethodDelete)()
}

// half is the number of objects that a change affects.
const half = objectsPerMember / 2

func benchmarkBareChanges(b *testing.B, f *fleet, client *bareClient) {
	send := func(method string, writes []write) {
		if err := client.send(b.Context(), f.Members, method, writes); err != nil {
			b.Fatal(err)
		}
	}
	first := bareWrites(b, objectsToWrite("written"))
	send(http.MethodPost, first)
	changes, changed := [][]write{bareWrites(b, changedObjects("written", half))[:half], first[:half]}, 0
	measure(b, len(f.Members), "bare changes of half of the objects", "net/http, 8 in parallel to a member", nil, client.traffic, func() {
		send(http.MethodPatch, changes[changed%2])
		changed++
	})
	send(http.MethodDelete, first)
}

func benchmarkEngineWrites(b *testing.B, f *fleet) {
	r := &runs{fleet: f}
	r.next()
	defer func() { r.close() }()
	request := placing("written", objectsToWrite("written"))
	request.Spec.Strategy = &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%"}} // all clusters in parallel, as the bare loop
	var placed enginetest.Request
	place := func() {
		var err error
		if placed, err = r.place(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
	remove := func() {
		if _, err := placed.Delete(b.Context(), r.engine); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("apply", func(b *testing.B) {
		measure(b, len(f.Members), "apply, all to create, new engine", "", func() {
			if placed.Again {
				remove()
			}
			r.next()
		}, r.traffic, place)
		remove()
	})
	b.Run("change", func(b *testing.B) {
		place()
		changes, changed := []map[string]string{changedObjects("written", half), request.Manifests}, 0
		var change enginetest.Request
		measure(b, len(f.Members), "apply, half of the objects to change, new engine, with its plan", "", func() {
			change = placed.With(changes[changed%2])
			change.Expected, changed = nil, changed+1
			r.next()
			preview, err := change.Preview(b.Context(), r.engine)
			if err != nil {
				b.Fatal(err)
			}
			change.Expected = engine.Expect(preview)
			r.next()
		}, r.traffic, func() {
			var err error
			if placed, err = r.place(b.Context(), change); err != nil {
				b.Fatal(err)
			}
		})
		remove()
	})
	b.Run("destroy", func(b *testing.B) {
		measure(b, len(f.Members), "destroy, new engine", "", func() {
			r.next()
			place()
			r.next()
		}, r.traffic, remove)
	})
}

// benchmarkKubectlApply measures kubectl on all members or a sample of them, once.
func benchmarkKubectlApply(b *testing.B, f *fleet, texts map[string]string) {
	apply := newCommand(b, f, texts, "apply", "--server-side")
	members := f.Members[:min(len(f.Members), kubectlSample)]
	note := fmt.Sprintf("%d parallel processes", runtime.NumCPU())
	if len(members) < len(f.Members) {
		note += fmt.Sprintf(", time of %d members scaled", len(members))
	}
	begin := time.Now()
	if err := apply.run(b.Context(), members); err != nil {
		b.Fatal(err)
	}
	wall := time.Since(begin) * time.Duration(len(f.Members)) / time.Duration(len(members))
	rows.add(row{
		members: len(f.Members), what: "kubectl apply --server-side, all to create", note: note + "; memory of one process", wall: wall, peak: apply.peak,
		requests: -1, received: -1, sent: -1, dials: -1,
	})
}
