package direct_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// lacking names what the workload lacks on each member, by a preview.
func (w *world) lacking(preview *engine.Preview) string {
	var out []string
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			for _, id := range o.Missing {
				out = append(out, fmt.Sprintf("%s: %s lacks %s", c.Name, o.Kind, strings.ReplaceAll(id.String(), w.Name, "$ns")))
			}
		}
	}
	return strings.Join(out, ", ")
}

// needingSecret is a Deployment whose Pods need a Secret. rest continues its name, or its reference.
func needingSecret(rest string) string {
	return strings.NewReplacer("serviceAccountName: runner", "", "image: nginx", "image: nginx, envFrom: [{secretRef: {name: db"+rest+"}}]").
		Replace(enginetest.Needing)
}

const database = "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: $ns}, stringData: {password: hidden}}"

// A plan says which workloads will not become available because an object that their Pods need is neither on the cluster nor placed there.
func TestMissingReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", strings.ReplaceAll(database, "name: db", "name: db-there"))
	for name, c := range map[string]struct {
		manifests []string
		want      string
	}{
		"missing":        {manifests: []string{needingSecret("")}, want: "member-1: Deployment lacks Secret $ns/db, member-2: Deployment lacks Secret $ns/db"},
		"on one member":  {manifests: []string{needingSecret("-there")}, want: "member-2: Deployment lacks Secret $ns/db-there"},
		"placed as well": {manifests: []string{needingSecret(""), database}},
		"optional":       {manifests: []string{needingSecret(", optional: true")}},
	} {
		preview, err := w.placing("missing", c.manifests...).Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if got := w.lacking(preview); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	preview, err := w.placing("missing", needingSecret("")).Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.placing("other", database).Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	preview.Yield("other", other.Claims(), *w.placing("missing").Spec.Defaulted().Strategy.ApplyStrategy)
	if got := w.lacking(preview); got != "" {
		t.Errorf("another placement of the run places it: %s", got)
	}
}

// A plan that deletes an object and restarts the workload whose Pods need it says that the workload will not become available.
func TestMissingReferenceIsPruned(t *testing.T) {
	t.Parallel()
	newWorld(t).PrunedReference()
}

// An apply does not wait for a workload that lacks an object as the plan has shown.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.MissingReference(w.Engine(), w.placing("missing", enginetest.Needing))
}

// An apply waits for a workload whose missing object is created just after the workload, as another placement of the run does.
func TestMissingReferenceThatArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ArrivingReference(w.placing("arrives", enginetest.Needing))
}

// A member that does not answer which objects it has is still checked in the plans that follow.
func TestMissingReferencesOfASlowMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("slow", needingSecret(""))
	w.Inject(clusters.Fault{Context: "member-1", Delay: time.Hour, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/secrets/db")
	}})
	e := w.Engine()
	for range 3 {
		preview, err := request.Preview(w.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.lacking(preview); got != "member-2: Deployment lacks Secret $ns/db" {
			t.Errorf("the plan says %q", got)
		}
		for _, c := range preview.Clusters {
			if c.Err != nil {
				t.Error(c.Err)
			}
		}
	}
}
