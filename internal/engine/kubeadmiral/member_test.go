package kubeadmiral_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// members returns an engine that does not use the recorder, because a host could not connect through the recorder.
func members(w *enginetest.World) engine.Engine {
	return w.Fleet.Subject.New(w.Fleet.Connect(w.Members, enginetest.Access{Kubeconfig: w.Env.Kubeconfig}))
}

// TestMember checks that a registration has the configured values, that its credentials are in the Secret, that labels of others are kept, and that a second
// registration returns an error.
func TestMember(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	name := w.Members[0]
	e := members(w)
	found, err := e.ReadMember(w.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, conditionType := range []string{member.Joined, member.Healthy} {
		if !slices.ContainsFunc(found.Status.Conditions, func(c member.Condition) bool { return c.Type == conditionType && c.Status == "True" }) {
			t.Errorf("%s: %+v", conditionType, found.Status.Conditions)
		}
	}
	_, err = e.ApplyMember(w.Context(), engine.Member{Spec: member.Spec{Name: name}}, nil)
	if _, exists := errors.AsType[*engine.ExistsError](err); !exists {
		t.Errorf("a second registration: %v", err)
	}
	secret := w.Must(w.Env.Hub, "v1 Secret "+v1alpha1.SystemNamespace+"/"+name+"-credentials")
	if data, _ := secret.Object["data"].(map[string]any); data["certificate-authority-data"] == nil || data["client-key-data"] == nil && data["bootstrap-token-data"] == nil {
		t.Errorf("the Secret has the keys %v", keys(data))
	}
	registered := w.Must(w.Env.Hub, "core.kubeadmiral.io/v1alpha1 FederatedCluster "+name)
	spec, _ := registered.Object["spec"].(map[string]any)
	if spec["useServiceAccount"] != true || !strings.HasPrefix(spec["apiEndpoint"].(string), "https://") { //nolint:forcetypeassert // it is required
		t.Errorf("%v", spec)
	}
	merge(t, w, name, `{"metadata":{"labels":{"theirs":"1"}}}`)
	labels := found.Spec.Labels
	labels["more"] = "yes"
	delete(labels, "theirs")
	changed, err := e.ApplyMember(w.Context(), engine.Member{Spec: member.Spec{Name: name, Labels: labels}}, &found)
	if err != nil {
		t.Fatal(err)
	}
	now := w.Must(w.Env.Hub, "core.kubeadmiral.io/v1alpha1 FederatedCluster "+name).GetLabels()
	if now["more"] != "yes" || now["theirs"] != "1" {
		t.Errorf("%v", now)
	}
	merge(t, w, name, `{"metadata":{"labels":{"more":"no"}}}`)
	read, err := e.ReadMember(w.Context(), name, &changed)
	if err != nil || read.Spec.Labels["more"] != "no" || read.Spec.Labels["theirs"] != "" {
		t.Errorf("%+v %v", read.Spec, err)
	}
	delete(labels, "more")
	if _, err := e.ApplyMember(w.Context(), engine.Member{Spec: member.Spec{Name: name, Labels: labels}}, &read); err != nil {
		t.Error(err)
	}
	merge(t, w, name, `{"metadata":{"labels":{"theirs":null}}}`)
}

// merge changes a registration as another client.
func merge(t *testing.T, w *enginetest.World, name, patch string) {
	t.Helper()
	ref := fixture.Ref{APIVersion: "core.kubeadmiral.io/v1alpha1", Kind: v1alpha1.FederatedClusterKind, Name: name}
	if err := w.On(w.Env.Hub).Merge(context.Background(), ref, []byte(patch), "", false); err != nil {
		t.Fatal(err)
	}
}

// TestAbandon checks that all objects remain with Abandon, and that the plan of the removal shows this.
func TestAbandon(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, settings)
	request := selecting(w)
	request.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}
	again := request.After(applied(t, w, request).Status)
	preview, err := again.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if action := actions(preview)[w.Members[0]+" ConfigMap settings"]; action != takeover.ActionOrphan {
		t.Errorf("%s", action)
	}
	w.Delete(again)
	w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings")
}

// TestUnselected checks that an object that is no longer selected is released as in a removal, and that all other objects remain unchanged.
func TestUnselected(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, settings+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: $ns-app}, data: {a: b}}")
	w.Put(w.Members[0], "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}\n---\n"+
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: $ns-app}, data: {a: b}}")
	request := selecting(w)
	again := request.After(applied(t, w, request).Status)
	host := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/more")
	again.Spec.ResourceSelectors = []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: w.Expand("$ns-app"), SelectionScope: placement.NamespaceWithResourceSelectors},
		{Version: "v1", Kind: "ConfigMap", Name: "settings"}}
	preview, err := again.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if action := actions(preview)[w.Members[0]+" ConfigMap more"]; action != takeover.ActionOrphan || !preview.Pending() {
		t.Errorf("%s, pending %v", action, preview.Pending())
	}
	result := applied(t, w, again)
	if live := w.Must(w.Members[0], "v1 ConfigMap $ns-app/more"); live.GetLabels()[v1alpha1.ManagedLabel] != "" {
		t.Errorf("%v", live.GetLabels())
	}
	if now := w.Must(w.Env.Hub, "v1 ConfigMap $ns-app/more"); now.GetUID() != host.GetUID() || now.GetLabels()[v1alpha1.ClusterPolicyLabel] != "" {
		t.Errorf("%v", now.Object["metadata"])
	}
	w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings")
	w.Delete(again.After(result.Status))
}

// TestMemberWithoutConnection checks that a registration needs a connection to the member, and that its removal does not need one.
func TestMemberWithoutConnection(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	found := w.Engine().CheckMember(member.Spec{Name: "stranger"})
	if len(found) != 1 || found[0].Ignored || !found[0].Removable {
		t.Errorf("%+v", found)
	}
}
