package direct_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	// needing is a Deployment without the spec of its Pods.
	needing = `apiVersion: apps/v1
kind: Deployment
metadata: {name: needs, namespace: $ns}
spec:
  selector: {matchLabels: {app: needs}}
  template:
    metadata: {labels: {app: needs}}
    spec:
      %s`
	// needsAccount is not created without its ServiceAccount, while the fake nodes of the tests start Pods without their Secrets.
	needsAccount = "{serviceAccountName: runner, containers: [{name: web, image: nginx}]}"
	database     = "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: $ns}, stringData: {password: hidden}}"
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

// A plan says which workloads will not become available because an object that their Pods need is neither on the cluster nor placed there.
func TestMissingReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put("member-1", strings.ReplaceAll(database, "name: db", "name: db-there"))
	deployment := func(rest string) string {
		return fmt.Sprintf(needing, "{containers: [{name: web, image: nginx, envFrom: [{secretRef: {name: db"+rest+"}}]}]}")
	}
	for name, c := range map[string]struct {
		manifests []string
		want      string
	}{
		"missing":        {manifests: []string{deployment("")}, want: "member-1: Deployment lacks Secret $ns/db, member-2: Deployment lacks Secret $ns/db"},
		"on one member":  {manifests: []string{deployment("-there")}, want: "member-2: Deployment lacks Secret $ns/db-there"},
		"placed as well": {manifests: []string{deployment(""), database}},
		"optional":       {manifests: []string{deployment(", optional: true")}},
	} {
		preview, err := w.placing("missing", c.manifests...).Preview(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if got := w.lacking(preview); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	preview, err := w.placing("missing", deployment("")).Preview(w.Context(), w.Engine())
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

// An apply does not wait for a workload that lacks an object as the plan has shown, and the next plan is empty until the object is there.
func TestMissingReferenceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("missing", fmt.Sprintf(needing, needsAccount))
	request.Wait = true
	w.DeleteAtEnd(request)
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	request.Expected = engine.Expect(preview)
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	result, err := request.Apply(ctx, w.Engine())
	if err != nil || result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	account := manifest.Identifier{Version: "v1", Kind: "ServiceAccount", Namespace: w.Name, Name: "runner"}
	for _, o := range result.Objects {
		if o.Action != takeover.ActionCreate || o.Waiting == nil || !slices.Equal(o.Missing, []manifest.Identifier{account}) {
			t.Errorf("%s: %+v, lacks %v", o.Action, o.Waiting, o.Missing)
		}
	}
	if len(result.Objects) != 2 {
		t.Errorf("%+v", result.Objects)
	}
	again := request.After(result.Status)
	second, err := again.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if got := w.lacking(second); second.Pending() || strings.Count(got, "ServiceAccount $ns/runner") != 2 {
		t.Errorf("the second plan has something to do: %t, says: %s", second.Pending(), got)
	}
	for _, name := range w.Members {
		w.Put(name, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: $ns}}")
	}
	if third, err := again.Preview(w.Context(), w.Engine()); err != nil || w.lacking(third) != "" {
		t.Errorf("it is there, and the plan says: %s, %v", w.lacking(third), err)
	}
}
