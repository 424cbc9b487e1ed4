package kubeadmiral_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/rights"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// as returns an engine whose account has the rights of a file on the host, and read-only rights on the members. If administers is true, the account is an
// administrator on the members.
func as(t *testing.T, w *enginetest.World, file string, administers bool) engine.Engine {
	t.Helper()
	accounts := map[string]rights.Account{w.Env.Hub: {File: "kubeadmiral/" + file, Namespace: "terraform", Name: strings.TrimSuffix(file, ".yaml")}}
	for _, name := range w.Members {
		if !administers {
			accounts[name] = rights.Account{File: "kubeadmiral/member.yaml", Namespace: "terraform", Name: "member"}
		}
	}
	return w.Fleet.Subject.New(w.Connect(enginetest.Access{Kubeconfig: rights.Kubeconfig(t, w.Env, accounts)}))
}

// TestDocumentedRights checks that the documented rights suffice: the rights for plans to plan, and the rights for applies to do everything.
func TestDocumentedRights(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.World(t, 3) // not in parallel: a member leaves, and comes back
	t.Run("members", func(t *testing.T) { rejoins(t, w, as(t, w, "host-apply.yaml", true)) })
	planner, applier := as(t, w, "host-plan.yaml", false), as(t, w, "host-apply.yaml", false)
	w.Put(w.Env.Hub, settings)
	w.Put(w.Members[0], strings.Replace(settings, "hello", "ahoj", 1))
	selected := selecting(w)
	selected.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff}}
	made := w.Placing("$ns-made", aNamespace, own, "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: $ns-in}, spec: {ports: [{port: 80}]}}")
	for _, request := range []enginetest.Request{selected, made} {
		preview, err := request.Preview(w.Context(), planner)
		if err != nil {
			t.Fatal(err)
		}
		known(t, preview)
		if _, err := request.Apply(w.Context(), planner); !kube.IsForbidden(err) {
			t.Errorf("who may plan applies: %v", err)
		}
		result := w.ApplyBy(applier, request)
		if len(result.Warnings) > 0 {
			t.Errorf("%v", result.Warnings)
		}
		again := request.After(result.Status)
		if _, err := again.Read(w.Context(), planner); err != nil {
			t.Error(err)
		}
		if preview, err = again.Preview(w.Context(), planner); err != nil || preview.Pending() {
			t.Errorf("a second apply would do something: %+v %v", preview, err)
		}
		if preview, err = again.PreviewDelete(w.Context(), planner); err != nil {
			t.Fatal(err)
		}
		known(t, preview)
		removed, err := again.Delete(w.Context(), applier)
		if err != nil || len(removed.Warnings) > 0 {
			t.Errorf("%+v %v", removed, err)
		}
	}
	for _, cluster := range append([]string{w.Env.Hub}, w.Members...) {
		w.AwaitGone(cluster, inNamespace)
	}
}

// known fails the test unless every cluster was checked and the action on every object is known.
func known(t *testing.T, preview *engine.Preview) {
	t.Helper()
	for _, c := range preview.Clusters {
		if c.Err != nil || c.Picked && len(c.Objects) == 0 {
			t.Errorf("%s: %d objects, %v", c.Name, len(c.Objects), c.Err)
		}
		for _, o := range c.Objects {
			if o.Action == takeover.ActionUnknown || o.Action == takeover.ActionReject {
				t.Errorf("%s on %s: %s %s", o.Identifier, c.Name, o.Action, o.Problem)
			}
		}
	}
}

// rejoins makes a member leave and join again.
func rejoins(t *testing.T, w *enginetest.World, applier engine.Engine) {
	t.Helper()
	name := w.Members[1]
	before, err := applier.ReadMember(w.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := applier.DeleteMember(w.Context(), before); err != nil {
		t.Fatal(err)
	}
	now, err := applier.ApplyMember(w.Context(), engine.Member{Spec: before.Spec}, nil)
	joined := slices.ContainsFunc(now.Status.Conditions, func(c member.Condition) bool { return c.Type == member.Joined && c.Status == "True" })
	if err != nil || !joined {
		t.Fatalf("%+v %v", now.Status, err)
	}
}
