package direct_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// TestLeftoversDoNotKeepNamespace checks that a Namespace is deleted together with leftovers: objects of a deleted workload that the cluster has not deleted
// yet. The Namespace remains if an owner may exist: if the kind of the owner is not among the kinds in the Namespace, or the owner was created while the
// contents were listed.
func TestLeftoversDoNotKeepNamespace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, secret string
		replicaSet   bool
		stays        bool
	}{
		{name: "replica set", secret: `"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "gone"}]`},
		{name: "service account", secret: `"annotations": {"kubernetes.io/service-account.name": "web", "kubernetes.io/service-account.uid": "gone"}`},
		{name: "no owner", secret: `"labels": {}`, stays: true},
		{name: "node", secret: `"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "web", "uid": "gone"}]`, stays: true},
		{name: "late replica set", secret: `"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "late"}]`, replicaSet: true, stays: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest("house", house, furniture)
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			_, request = w.planRemoval(request, engine.FateKept)
			answer := func(items string) http.HandlerFunc {
				return func(rw http.ResponseWriter, _ *http.Request) {
					rw.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(rw, fmt.Sprintf(`{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": [%s]}`, items))
				}
			}
			list := func(resource string) func(clusters.Request) bool {
				return func(r clusters.Request) bool {
					return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/"+resource))
				}
			}
			w.Inject(clusters.Fault{Context: "member-1", Match: list("secrets"), Answer: answer(
				fmt.Sprintf(`{"metadata": {"name": "web", "namespace": %q, "uid": "secret", %s}}`, w.Expand("$ns-house"), test.secret))})
			if test.replicaSet {
				var lists atomic.Int32
				isSecond := func(r clusters.Request) bool { return list("replicasets")(r) && lists.Add(1)%2 == 0 }
				w.Inject(clusters.Fault{Context: "member-1", Match: isSecond, Answer: answer(
					fmt.Sprintf(`{"metadata": {"name": "web", "namespace": %q, "uid": "late"}}`, w.Expand("$ns-house")))})
			}
			result := w.Delete(request)
			if stays := len(result.Warnings) > 0; stays != test.stays {
				t.Errorf("the removal warns: %q", result.Warnings)
			}
			if exists := w.Find("member-1", theHouse) != nil; exists != test.stays {
				t.Errorf("the Namespace exists: %t", exists)
			}
		})
	}
}
