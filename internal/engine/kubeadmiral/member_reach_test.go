package kubeadmiral

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const (
	namespaceDiscovery = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},"versions":[{"version":"v1",` +
		`"resources":[{"resource":"namespaces","responseKind":{"version":"v1","kind":"Namespace"},"scope":"Cluster","verbs":["get"]}]}]}]}`
	deletedNamespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-admiral-system","deletionTimestamp":"2026-01-01T00:00:00Z"}}`
)

// TestAwaitVacantInterrupted checks the error if the context ends during a request: only a namespace that was read is reported as being deleted.
func TestAwaitVacantInterrupted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers   int32 // the number of reads that the member answers
		want, not string
	}{
		"never read": {0, "cannot read Namespace kube-admiral-system", "being deleted"},
		"read once":  {1, "is still being deleted", "cannot read"},
		"read often": {3, "is still being deleted", "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var reads atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/api", r.URL.Path == "/apis":
					w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
					_, _ = fmt.Fprint(w, namespaceDiscovery)
				case !strings.HasSuffix(r.URL.Path, "/namespaces/kube-admiral-system"):
					http.NotFound(w, r)
				case reads.Add(1) > test.answers:
					cancel()
					<-r.Context().Done()
				default:
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprint(w, deletedNamespace)
				}
			}))
			t.Cleanup(server.Close)
			cluster := kube.NewCluster("member-1", connection.Connection{Host: server.URL, Token: "t"}, kube.Options{}, nil)
			t.Cleanup(cluster.Close)
			e := &Engine{pace: Pace{Pace: controlplane.Pace{Interval: time.Millisecond, Silence: time.Minute}, Join: time.Minute}}
			err := e.awaitVacant(ctx, cluster)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), test.not) || reads.Load() <= test.answers {
				t.Errorf("%d reads: %v", reads.Load(), err)
			}
		})
	}
}
