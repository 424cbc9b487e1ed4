//go:build unix

package clusters_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

func record(t *testing.T, options clusters.RecorderOptions) *clusters.Recorder {
	t.Helper()
	clusters.Need(t, env)
	rec, err := clusters.NewRecorder(env, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
	return rec
}

// through returns a client that uses the recorder's proxies.
func through(t *testing.T, rec *clusters.Recorder, name string) dynamic.Interface {
	t.Helper()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: rec.Kubeconfig()},
		&clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = "recorder-test"
	return dynamic.NewForConfigOrDie(config)
}

func TestRecorderDistinguishesWrites(t *testing.T) {
	rec := record(t, clusters.RecorderOptions{})
	ns := namespace(t, client(t, env.Hub))
	c := through(t, rec, env.Hub).Resource(configMaps).Namespace(ns)
	desired := parse(t, configMap)
	apply := func(options metav1.ApplyOptions) {
		t.Helper()
		options.FieldManager = "test"
		if _, err := c.Apply(t.Context(), "settings", desired, options); err != nil {
			t.Fatal(err)
		}
	}

	apply(metav1.ApplyOptions{DryRun: []string{"All"}})
	if err := c.Delete(t.Context(), "absent", metav1.DeleteOptions{DryRun: []string{"All"}}); !apierrors.IsNotFound(err) {
		t.Errorf("deletion of a missing object: %v", err)
	}
	if writes := rec.Writes(); len(writes) != 0 {
		t.Errorf("dry runs recorded as writes: %v", writes)
	}

	apply(metav1.ApplyOptions{})
	writes := rec.Writes()
	if len(writes) != 1 || len(rec.Requests()) != 3 {
		t.Fatalf("writes %v of %v", writes, rec.Requests())
	}
	got := writes[0]
	if got.Context != env.Hub || got.Method != http.MethodPatch || got.Status != http.StatusCreated ||
		!strings.HasSuffix(got.Path, "/configmaps/settings") || got.Query.Get("fieldManager") != "test" ||
		got.UserAgent != "recorder-test" {
		t.Errorf("recorded %+v", got)
	}
	eventually(t, "sizes recorded", 5*time.Second, func() error {
		if r := rec.Writes()[0]; !r.Done || r.RequestBytes == 0 || r.ResponseBytes == 0 {
			return fmt.Errorf("%+v", r)
		}
		return nil
	})

	rec.Reset()
	if err := c.Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if writes := rec.Writes(); len(writes) != 1 || writes[0].Method != http.MethodDelete {
		t.Errorf("a deletion recorded as %v", writes)
	}
}

func TestRecorderPassesWatchesOn(t *testing.T) {
	clusters.Need(t, env)
	rec := record(t, clusters.RecorderOptions{Contexts: env.Members[:1], PlainHTTP: true})
	direct := client(t, env.Members[0])
	ns := namespace(t, direct)
	watch, err := through(t, rec, env.Members[0]).Resource(configMaps).Namespace(ns).
		Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=settings"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	create(t, direct.Resource(configMaps).Namespace(ns), configMap)
	select {
	case event := <-watch.ResultChan():
		if event.Type != "ADDED" {
			t.Errorf("event %v", event)
		}
	case <-time.After(10 * time.Second):
		t.Error("received no event")
	}
}

func TestRecorderCredentials(t *testing.T) {
	clusters.Need(t, env)
	name := env.Members[0]
	list := func(t *testing.T, options clusters.RecorderOptions, name string) error {
		t.Helper()
		_, err := through(t, record(t, options), name).Resource(secrets).List(t.Context(), metav1.ListOptions{})
		return err
	}
	for _, pass := range []bool{false, true} {
		options := clusters.RecorderOptions{PassCredentials: pass}
		options.Contexts = []string{name, clusters.Expired(name)}
		if err := list(t, options, name); err != nil {
			t.Errorf("pass %v, administrator: %v", pass, err)
		}
		if err := list(t, options, clusters.Expired(name)); !apierrors.IsUnauthorized(err) {
			t.Errorf("pass %v, expired token: %v, want 401", pass, err)
		}
	}
	_, err := clusters.NewRecorder(env, clusters.RecorderOptions{PassCredentials: true, Contexts: []string{clusters.Certificate(name)}})
	if err == nil || !strings.Contains(err.Error(), "has no token") {
		t.Errorf("client certificates passed on: %v", err)
	}
}

func TestRecorderFaults(t *testing.T) {
	rec := record(t, clusters.RecorderOptions{})
	direct := client(t, env.Hub)
	ns := namespace(t, direct)
	c := through(t, rec, env.Hub).Resource(configMaps).Namespace(ns)
	add := func() error {
		_, err := c.Create(t.Context(), parse(t, configMap), metav1.CreateOptions{})
		return err
	}
	stored := func() bool {
		_, err := direct.Resource(configMaps).Namespace(ns).Get(t.Context(), "settings", metav1.GetOptions{})
		return err == nil
	}

	for status, is := range map[int]func(error) bool{
		http.StatusConflict:            apierrors.IsConflict,
		http.StatusTooManyRequests:     apierrors.IsTooManyRequests,
		http.StatusInternalServerError: apierrors.IsInternalError,
		http.StatusServiceUnavailable:  apierrors.IsServiceUnavailable,
	} {
		remove := rec.Inject(clusters.Fault{Match: clusters.Writes, Status: status})
		if err := add(); !is(err) {
			t.Errorf("status %d: %v", status, err)
		}
		remove()
	}

	remove := rec.Inject(clusters.Fault{Context: env.Hub, Refuse: true})
	if err := add(); err == nil {
		t.Error("a refused request succeeded")
	}
	remove()
	if stored() {
		t.Error("the server received a refused request")
	}

	var hooked string
	rec.Inject(clusters.Fault{
		Match: clusters.Writes, Times: 1, LoseResponse: true, Delay: 50 * time.Millisecond,
		Hook: func(r clusters.Request) { hooked = r.String() },
	})
	if err := add(); err == nil {
		t.Error("the client received a lost response")
	}
	if !stored() || !strings.Contains(hooked, "POST") {
		t.Errorf("the change was made: %v; hook got %q", stored(), hooked)
	}
	if err := add(); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a fault applied to too many requests: %v", err)
	}
	if fault := rec.Writes()[len(rec.Writes())-2].Fault; fault != "response lost after 50ms" {
		t.Errorf("recorded fault %q", fault)
	}
}

// TestRecorderThen checks that Then ends before the client receives the server's response.
func TestRecorderThen(t *testing.T) {
	rec := record(t, clusters.RecorderOptions{})
	direct := client(t, env.Hub)
	ns := namespace(t, direct)
	rec.Inject(clusters.Fault{Match: clusters.Writes, Times: 1, Then: func(clusters.Request) {
		if err := direct.Resource(configMaps).Namespace(ns).Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}})
	c := through(t, rec, env.Hub).Resource(configMaps).Namespace(ns)
	created, err := c.Create(t.Context(), parse(t, configMap), metav1.CreateOptions{})
	if err != nil || created.GetUID() == "" {
		t.Fatalf("%v %v", created, err)
	}
	if _, err := c.Get(t.Context(), "settings", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it still exists: %v", err)
	}
}

// A long enough delay lasts until the client cancels: the server never receives the request.
func TestRecorderDelay(t *testing.T) {
	rec := record(t, clusters.RecorderOptions{})
	direct := client(t, env.Hub)
	ns := namespace(t, direct)
	var hooked atomic.Bool
	rec.Inject(clusters.Fault{Match: clusters.Writes, Delay: time.Hour, Hook: func(clusters.Request) { hooked.Store(true) }})
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	c, desired, answer := through(t, rec, env.Hub).Resource(configMaps).Namespace(ns), parse(t, configMap), make(chan error, 1)
	go func() {
		_, err := c.Create(ctx, desired, metav1.CreateOptions{})
		answer <- err
	}()
	recorded := func(state func(clusters.Request) bool) func() error {
		return func() error {
			if writes := rec.Writes(); len(writes) != 1 || !state(writes[0]) {
				return fmt.Errorf("recorded %+v", writes)
			}
			return nil
		}
	}
	eventually(t, "delayed", 10*time.Second, recorded(func(r clusters.Request) bool { return r.Fault == "forwarded after 1h0m0s" }))
	giveUp()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	eventually(t, "canceled", 10*time.Second, recorded(func(r clusters.Request) bool { return r.Done && r.Status == 0 }))
	_, err := direct.Resource(configMaps).Namespace(ns).Get(t.Context(), "settings", metav1.GetOptions{})
	if hooked.Load() || !apierrors.IsNotFound(err) {
		t.Errorf("the server received a delayed request: hook called %v, %v", hooked.Load(), err)
	}
}

// Clients repeat a request automatically if the response has Retry-After.
func TestRecorderRetryAfter(t *testing.T) {
	rec := record(t, clusters.RecorderOptions{})
	rec.Inject(clusters.Fault{Status: http.StatusTooManyRequests, RetryAfter: time.Second, Times: 1})
	if _, err := through(t, rec, env.Hub).Resource(namespaces).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if requests := rec.Requests(); len(requests) != 2 || requests[0].Status != http.StatusTooManyRequests || requests[1].Status != http.StatusOK {
		t.Errorf("recorded %v", requests)
	}
}

func TestRecorderCloseRemovesItsFile(t *testing.T) {
	clusters.Need(t, env)
	rec := must(clusters.NewRecorder(env, clusters.RecorderOptions{}))(t)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Dir(rec.Kubeconfig())); left != nil {
		t.Errorf("left %v", left)
	}
}
