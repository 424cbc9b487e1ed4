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

// missingObjects returns the objects that the workload lacks on each member according to a preview.
func (w *world) missingObjects(preview *engine.Preview) string {
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

// deploymentWithSecret returns a Deployment whose Pods need a Secret. rest continues its name or its reference.
func deploymentWithSecret(rest string) string {
	return strings.NewReplacer("serviceAccountName: runner", "", "image: nginx", "image: nginx, envFrom: [{secretRef: {name: db"+rest+"}}]").
		Replace(enginetest.Needing)
}

const database = "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: $ns}, stringData: {password: hidden}}"

// TestMissingReferences checks that a plan reports workloads that will not become available because an object that their Pods need neither exists on the
// cluster nor is placed there.
func TestMissingReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", strings.ReplaceAll(database, "name: db", "name: db-there"))
	for name, c := range map[string]struct {
		manifests []string
		want      string
	}{
		"missing":        {manifests: []string{deploymentWithSecret("")}, want: "member-1: Deployment lacks Secret $ns/db, member-2: Deployment lacks Secret $ns/db"},
		"on one member":  {manifests: []string{deploymentWithSecret("-there")}, want: "member-2: Deployment lacks Secret $ns/db-there"},
		"placed as well": {manifests: []string{deploymentWithSecret(""), database}},
		"optional":       {manifests: []string{deploymentWithSecret(", optional: true")}},
	} {
		preview, err := w.newRequest("missing", c.manifests...).Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if got := w.missingObjects(preview); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	preview, err := w.newRequest("missing", deploymentWithSecret("")).Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.newRequest("other", database).Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	preview.Yield("other", other.Claims(), *w.newRequest("missing").Spec.Defaulted().Strategy.ApplyStrategy)
	if got := w.missingObjects(preview); got != "" {
		t.Errorf("another placement of the run places it: %s", got)
	}
}

// TestMissingReferenceIsPruned checks that a plan that deletes an object and restarts a workload whose Pods need it reports that the workload will not become
// available.
func TestMissingReferenceIsPruned(t *testing.T) {
	t.Parallel()
	newWorld(t).PrunedReference()
}

// TestMissingReferenceIsNotWaitedFor checks that an apply does not wait for a workload that lacks an object as the plan has shown.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.MissingReference(w.Engine(), w.newRequest("missing", enginetest.Needing))
}

// TestMissingReferenceThatArrives checks that an apply waits for a workload whose missing object is created just after the workload, as by another placement
// of the run.
func TestMissingReferenceThatArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ArrivingReference(w.newRequest("arrives", enginetest.Needing))
}

// TestMissingReferencesOfASlowMember checks that several plans of one engine report the missing object on the other member, without an error, while a member
// does not respond to the read of the object.
func TestMissingReferencesOfASlowMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("slow", deploymentWithSecret(""))
	w.Inject(clusters.Fault{Context: "member-1", Delay: time.Hour, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/secrets/db")
	}})
	e := w.Engine()
	for range 3 {
		preview, err := request.Preview(w.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.missingObjects(preview); got != "member-2: Deployment lacks Secret $ns/db" {
			t.Errorf("the plan reports %q", got)
		}
		for _, c := range preview.Clusters {
			if c.Err != nil {
				t.Error(c.Err)
			}
		}
	}
}
