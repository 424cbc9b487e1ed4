package hubs

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// manyMembers makes the hub return count invented members, in pages, and on the first page also the members in there. It does not return its real members.
func (h *hub) manyMembers(count int, there ...string) {
	h.Helper()
	h.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool {
			return strings.HasSuffix(r.Path, "/memberclusters") && r.Method == http.MethodGet
		},
		Answer: func(w http.ResponseWriter, request *http.Request) {
			limit, from, next := count, 0, ""
			_, _ = fmt.Sscan(request.URL.Query().Get("limit"), &limit)
			_, _ = fmt.Sscan(request.URL.Query().Get("continue"), &from)
			if from+limit < count {
				next = fmt.Sprint(from + limit)
			}
			var items []string
			if from == 0 {
				items = slices.Clone(there)
			}
			for i := from; i < min(from+limit, count); i++ {
				items = append(items, fmt.Sprintf(`{"metadata":{"name":"far-%04d","uid":"%d","labels":{"region":"far"}},"spec":{"identity":{"kind":"User",`+
					`"name":"far"}},"status":{"conditions":[{"type":"Joined","status":"True","reason":"Joined","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, i, i))
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberClusterList","metadata":{"continue":%q},"items":[%s]}`,
				next, strings.Join(items, ","))
		},
	})
}

// asked returns the requests to the hub since the recording was reset. It omits discovery, and the identity check of a new connection: the recorder needs one
// connection for each concurrent request, whereas an API server needs only one.
func (h *hub) asked() []clusters.Request {
	discovery := []string{"/api", "/apis", "/version", "/api/v1/namespaces/kube-system"}
	return slices.DeleteFunc(h.Requests(), func(r clusters.Request) bool {
		return r.Context != env.Hub || slices.Contains(discovery, r.Path)
	})
}

// A plan of a new placement sends the same number of requests for a thousand members as for one.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.manyMembers(1000)
	h.put("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: far}}")
	p := engine.Placement{Reference: engine.Reference{Name: "far"}, Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "far"},
	}}}
	h.Reset()
	preview, err := h.engine().Preview(t.Context(), p, engine.PreviewOptions{Create: true})
	if err != nil || len(preview.Clusters) < 1000 {
		t.Fatalf("%+v, %v", preview, err)
	}
	if asked := h.asked(); len(asked) > 5 {
		t.Errorf("%d requests: %v", len(asked), asked)
	}
}

// TestManyMembersOfOne limits the number of requests for an existing placement on a hub with a thousand members, from the refresh to the end of the plan.
func TestManyMembersOfOne(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.join(h.engine())
	h.put("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: near}}")
	p := h.place(h.engine(), engine.Placement{Reference: engine.Reference{Name: "near"}, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "near"}},
	}})
	member, err := h.stored(fixture.ParseRef("cluster.kubernetes-fleet.io/v1beta1 MemberCluster " + memberName)).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	h.manyMembers(999, string(member))
	plan := func(what string, most int, run func(e *kubefleet.Engine, p engine.Placement) (*engine.Preview, error)) *engine.Preview {
		t.Helper()
		h.Reset()
		e := h.engine()
		recorded, err := e.ReadPlacement(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		read := p
		read.Prior = &recorded.Status
		preview, err := run(e, read)
		if err != nil || len(preview.Clusters) != 1000 {
			t.Fatalf("%s: %+v, %v", what, preview, err)
		}
		if asked := h.asked(); len(asked) > most {
			t.Errorf("%s: %d requests: %v", what, len(asked), asked)
		}
		return preview
	}
	preview := plan("nothing changes", 5, func(e *kubefleet.Engine, p engine.Placement) (*engine.Preview, error) {
		return e.Preview(t.Context(), p, engine.PreviewOptions{Unchanged: true})
	})
	here := preview.Clusters[slices.IndexFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Name == memberName })]
	if preview.Pending() || !here.Picked || len(here.Objects) != 1 || !here.Objects[0].Owned || here.CheckMethod != engine.CheckDryRun {
		t.Errorf("nothing changes: %+v", here)
	}
	plan("the strategy changes", 7, func(e *kubefleet.Engine, p engine.Placement) (*engine.Preview, error) {
		p.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever}}
		return e.Preview(t.Context(), p, engine.PreviewOptions{})
	})
	plan("it goes", 4, func(e *kubefleet.Engine, p engine.Placement) (*engine.Preview, error) {
		return e.PreviewDelete(t.Context(), p, engine.DeleteOptions{})
	})
}

// An otherwise empty plan still shows that a placement moves because a member has left the fleet.
func TestMovesAtRest(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.join(h.engine())
	h.put(content("standing"))
	p := h.place(h.engine(), placing("standing"))
	h.manyMembers(1) // the hub no longer returns the member on which the placement is
	preview, err := h.engine().Preview(t.Context(), p, engine.PreviewOptions{Unchanged: true})
	if err != nil || !preview.Pending() {
		t.Fatalf("%+v, %v", preview, err)
	}
	for _, c := range preview.Clusters {
		if c.Name == memberName && (c.Picked || len(c.Objects) != 2 || c.Objects[0].Action != takeover.ActionOrphan) {
			t.Errorf("%+v", c)
		}
	}
}

// A placement with a hundred failed objects on each of a hundred clusters is read in one request.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	e := h.engine()
	if _, err := e.ListMembers(t.Context()); err != nil { // the hub's identity is known after this
		t.Fatal(err)
	}
	p := placing("failing")
	if _, err := e.ReadPlacement(t.Context(), p); !errors.Is(err, engine.ErrNotFound) {
		t.Fatal(err)
	}
	answer := failing(p.Name)
	defer h.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool { return strings.HasSuffix(r.Path, "/clusterresourceplacements/"+p.Name) },
		Answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		},
	})()
	h.Reset()
	read, err := e.ReadPlacement(t.Context(), p)
	if err != nil || len(read.Status.Clusters) != 100 || len(read.Status.Clusters["member-099"].FailedPlacements) != 100 {
		t.Fatalf("%+v, %v", read, err)
	}
	if asked := h.asked(); len(asked) != 1 {
		t.Errorf("%d requests: %v", len(asked), asked)
	}
	if problems := read.Status.Problems(); len(problems) > 1000 || !strings.HasSuffix(problems, "and 9997 more") {
		t.Errorf("the problems are %q", problems)
	}
}

// failing returns a placement as a hub stores it. Each cluster has 100 failures, the most that a hub reports.
func failing(name string) []byte {
	var perCluster []string
	for c := range 100 {
		var failed []string
		for o := range 100 {
			failed = append(failed, fmt.Sprintf(`{"version":"v1","kind":"ConfigMap","namespace":"%s","name":"settings-%d","condition":{"type":"Applied",`+
				`"status":"False","reason":"ManifestApplyFailed","message":"it was refused","lastTransitionTime":"2026-01-01T00:00:00Z"}}`, name, o))
		}
		perCluster = append(perCluster, fmt.Sprintf(`{"clusterName":"member-%03d","conditions":[{"type":"Applied","status":"False","reason":"ApplyFailed",`+
			`"message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}],"failedPlacements":[%s]}`, c, strings.Join(failed, ",")))
	}
	return fmt.Appendf(nil, `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterResourcePlacement","metadata":{"name":"%s","uid":"1"},`+
		`"spec":{"resourceSelectors":[{"group":"","version":"v1","kind":"Namespace","name":"%s"}]},"status":{"placementStatuses":[%s]}}`,
		name, name, strings.Join(perCluster, ","))
}
