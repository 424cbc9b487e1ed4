package kubeadmiral_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// A registration that cannot be read does not count as removed.
func TestUnreadableRegistration(t *testing.T) {
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	ours := register(w, kube.DefaultFieldManager, "https://127.0.0.1:1")
	undo := w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/federatedclusters/"+w.Name)
	}})
	err := w.Engine().DeleteMember(w.Context(), ours)
	undo()
	if err == nil {
		t.Error("the removal did not fail")
	}
	w.Must(w.Env.Hub, registrationKind+"$ns")
	if err := w.Engine().DeleteMember(w.Context(), ours); err != nil {
		t.Error(err)
	}
}
