package hubs

import (
	"net/http"
	"path"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// A second removal that fails keeps all temporary owners, because the placement is already being deleted, and an agent that resumes would delete an object
// without one.
func TestAbandonThatFailsAgain(t *testing.T) {
	h, p := abandoning(t, "again")
	h.pause()
	if result, err := h.deleteInVain(p); err == nil || result == nil || !result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	p.Prior.Removing = true
	allow := h.Inject(clusters.Fault{Context: memberName, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && path.Base(r.Path) == "again"
	}})
	_, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{})
	if err == nil || strings.Contains(err.Error(), "nothing was deleted") || !strings.Contains(err.Error(), "already deleted on the hub") {
		t.Errorf("%v", err)
	}
	allow()
	if n := len(h.owners("again")); n != 4 {
		t.Errorf("%d owners of two objects that an agent holds and that are kept", n)
	}
	h.agents.Resume(memberName)
}

// If an object had its Namespace as an owner before the removal, it keeps this owner.
func TestAbandonOfWhatHasAnOwner(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h, p := abandoning(t, "owned")
	member, err := env.Client(memberName)
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := member.Find(t.Context(), fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: "owned"})
	if err != nil {
		t.Fatal(err)
	}
	settings := fixture.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "owned", Name: "settings"}
	live, err := member.Find(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	live.SetOwnerReferences(append(live.GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: "v1", Kind: "Namespace", Name: "owned", UID: namespace.GetUID(),
	}))
	patch, err := live.MarshalJSON()
	if err == nil {
		err = member.Merge(t.Context(), settings, patch, "", false)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if left := h.owners("owned"); len(left) != 1 || left[0].UID != namespace.GetUID() {
		t.Errorf("the owners %v are left", left)
	}
}
