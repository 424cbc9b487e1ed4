package kubeadmiral_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	registrationKind = "core.kubeadmiral.io/v1alpha1 FederatedCluster "
	// registration is a registration that the fake control plane does not change, because it has no cluster of that name. credentials is its Secret.
	registration = "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: FederatedCluster, metadata: {name: $ns, labels: {theirs: a}}, " +
		"spec: {apiEndpoint: $address, useServiceAccount: true, secretRef: {name: $ns-credentials}}}"
	credentials = "{apiVersion: v1, kind: Secret, metadata: {name: $ns-credentials, namespace: kube-admiral-system, labels: " +
		"{app.kubernetes.io/managed-by: terraform-provider-fleet}}, data: {certificate-authority-data: b3RoZXI=}}"
)

// registrar returns an engine that connects to the first member under the name of the world, and the connection.
func registrar(w *enginetest.World) (engine.Engine, *kube.Cluster) {
	clients := w.Connect(enginetest.Access{})
	clients.Members[w.Name] = clients.Members[w.Members[0]]
	return w.Fleet.Subject.New(clients), clients.Members[w.Name]
}

// register registers a member with the name of the world and with an address, as a field manager.
func register(w *enginetest.World, manager, address string) engine.Member {
	w.Helper()
	live := w.PutAs(w.Env.Hub, manager, strings.ReplaceAll(registration, "$address", address))
	return engine.Member{UID: string(live.GetUID()), Spec: member.Spec{Name: w.Name}}
}

func fieldOf(u *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(u.Object, path...)
	return text
}

// A registration that another user has deleted and recreated belongs to that user: neither the registration nor its Secret is changed or deleted, and a read
// reports this.
func TestReplacedRegistration(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	e, _ := registrar(w)
	ours := register(w, kube.DefaultFieldManager, "https://127.0.0.1:1")
	w.PutAs(w.Env.Hub, kube.DefaultFieldManager, credentials)
	read, err := e.ReadMember(w.Context(), w.Name, nil)
	if err != nil || read.UID != ours.UID {
		t.Fatalf("%+v %v, want the UID %s", read, err, ours.UID)
	}
	w.Remove(w.Env.Hub, registrationKind+"$ns")
	w.AwaitGone(w.Env.Hub, registrationKind+"$ns")
	theirs := register(w, "somebody", "https://127.0.0.1:2")
	before := w.Must(w.Env.Hub, registrationKind+"$ns").GetResourceVersion()
	changed := engine.Member{Spec: member.Spec{Name: w.Name, Labels: map[string]string{"ours": "a"}}}
	_, readErr := e.ReadMember(w.Context(), w.Name, &ours)
	_, changeErr := e.ApplyMember(w.Context(), changed, &ours)
	for what, err := range map[string]error{"read": readErr, "change": changeErr, "removal": e.DeleteMember(w.Context(), ours)} {
		if replaced, is := errors.AsType[*engine.ReplacedError](err); !is || replaced.Known != ours.UID || replaced.Found != theirs.UID {
			t.Errorf("%s: %v", what, err)
		}
	}
	if now := w.Must(w.Env.Hub, registrationKind+"$ns"); string(now.GetUID()) != theirs.UID || now.GetResourceVersion() != before {
		t.Errorf("what is theirs was written: %v", now.Object)
	}
	w.Must(w.Env.Hub, "v1 Secret kube-admiral-system/$ns-credentials")
	if err := e.DeleteMember(w.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	for _, object := range []string{registrationKind + "$ns", "v1 Secret kube-admiral-system/$ns-credentials"} {
		if w.Find(w.Env.Hub, object) != nil {
			t.Errorf("%s is still there", object)
		}
	}
}

// TestJoinedMember checks that a joined member keeps its address and its Secret, including the keys that the control plane added, if the connection changes.
// A change of labels changes nothing else, and warns about the connection.
func TestJoinedMember(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	name := w.Members[2]
	w.Edit(w.Env.Hub, "v1 Secret kube-admiral-system/"+name+"-credentials", "{data: {service-account-token-data: dG9rZW4=}}")
	secret := w.Must(w.Env.Hub, "v1 Secret kube-admiral-system/"+name+"-credentials")
	spec := w.Must(w.Env.Hub, registrationKind+name).Object["spec"]
	e := w.Engine() // the recorder has another address
	before, err := members(w).ReadMember(w.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Member{Spec: before.Spec}
	want.Spec.Labels = maps.Clone(before.Spec.Labels)
	want.Spec.Labels["shift"] = "late"
	changed, err := e.ApplyMember(w.Context(), want, &before)
	if err != nil {
		t.Fatal(err)
	}
	read, err := e.ReadMember(w.Context(), name, &changed)
	if err != nil {
		t.Fatal(err)
	}
	for what, m := range map[string]engine.Member{"the change": changed, "a read": read} {
		if !strings.Contains(m.Warning, "The host calls the member") || !strings.Contains(m.Warning, "-replace") {
			t.Errorf("%s does not report the other address: %q", what, m.Warning)
		}
	}
	now := w.Must(w.Env.Hub, registrationKind+name)
	if now.GetLabels()["shift"] != "late" || manifestHash(map[string]any{"spec": now.Object["spec"]}) != manifestHash(map[string]any{"spec": spec}) {
		t.Errorf("the registration was %v, and is %v with the labels %v", spec, now.Object["spec"], now.GetLabels())
	}
	if kept := w.Must(w.Env.Hub, "v1 Secret kube-admiral-system/"+name+"-credentials"); kept.GetResourceVersion() != secret.GetResourceVersion() {
		t.Errorf("the Secret was written: it has the keys %v", keys(kept.Object["data"].(map[string]any))) //nolint:forcetypeassert // it had
	}
	restored, err := members(w).ApplyMember(w.Context(), engine.Member{Spec: before.Spec}, &changed)
	if err != nil || restored.Warning != "" {
		t.Errorf("by the connection that the member was registered with: %q %v", restored.Warning, err)
	}
}

// TestImportedRegistration checks that an imported member that another system registered keeps that system's Secret and remains reachable. A different
// certificate authority only matters if the host cannot reach the member.
func TestImportedRegistration(t *testing.T) {
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	e, connection := registrar(w)
	reach, err := connection.Reach()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("$address", reach.URL, "$ns-credentials", "$ns-theirs")
	w.PutAs(w.Env.Hub, "somebody", text.Replace(registration))
	w.PutAs(w.Env.Hub, "somebody", strings.Replace(text.Replace(credentials), "terraform-provider-fleet", "somebody", 1))
	joined := func(ready string) {
		condition := func(kind, status string) string {
			return "{type: " + kind + ", status: '" + status + "', reason: It, message: '', lastProbeTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z'}"
		}
		w.EditAs(w.Env.Hub, "somebody", "status", registrationKind+"$ns", "{status: {conditions: ["+condition("Joined", "True")+", "+condition("Ready", ready)+"]}}")
	}
	warned := func(what, text string, prior engine.Member) engine.Member {
		t.Helper()
		read, err := e.ReadMember(w.Context(), w.Name, &prior)
		if err != nil || strings.Contains(read.Warning, "certificate authority") != (text != "") || read.Warning == "" != (text == "") {
			t.Errorf("%s: %q %v", what, read.Warning, err)
		}
		return read
	}
	joined("True")
	found, err := e.ReadMember(w.Context(), w.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	found = warned("reached", "", found)
	joined("Unknown")
	found = warned("not reached, with another authority", "certificate authority", found)
	w.Edit(w.Env.Hub, "v1 Secret kube-admiral-system/$ns-theirs", "{data: {certificate-authority-data: "+base64.StdEncoding.EncodeToString(reach.CA)+"}}")
	found = warned("not reached, with the same authority", "", found)
	changed, err := e.ApplyMember(w.Context(), engine.Member{Spec: member.Spec{Name: w.Name, Labels: map[string]string{"ours": "a"}}}, &found)
	if err != nil {
		t.Fatal(err)
	}
	now := w.Must(w.Env.Hub, registrationKind+"$ns")
	if got := fieldOf(now, "spec", "secretRef", "name"); got != w.Name+"-theirs" || now.GetLabels()["ours"] != "a" || now.GetLabels()["theirs"] != "a" {
		t.Errorf("the Secret is %s, the labels are %v", got, now.GetLabels())
	}
	if err := e.DeleteMember(w.Context(), changed); err != nil {
		t.Fatal(err)
	}
	w.Must(w.Env.Hub, "v1 Secret kube-admiral-system/$ns-theirs")
	w.Remove(w.Env.Hub, "v1 Secret kube-admiral-system/$ns-theirs")
}

// TestAdoptedRegistration checks that an adopted registration keeps its connection fields, whether the provider itself or another system created it. Releasing
// it removes only what was configured. The Secret is deleted only with the membership.
func TestAdoptedRegistration(t *testing.T) {
	for _, manager := range []string{kube.DefaultFieldManager, "somebody"} {
		t.Run(manager, func(t *testing.T) {
			w := fleet.World(t, 1) // not in parallel: other placements would see the member
			e, _ := registrar(w)
			own := register(w, manager, "https://127.0.0.1:1")
			w.PutAs(w.Env.Hub, kube.DefaultFieldManager, credentials)
			spec := w.Must(w.Env.Hub, registrationKind+"$ns").Object["spec"]
			is := func(when string, labels map[string]string) {
				t.Helper()
				now := w.Must(w.Env.Hub, registrationKind+"$ns")
				if !maps.Equal(now.GetLabels(), labels) || manifestHash(map[string]any{"spec": now.Object["spec"]}) != manifestHash(map[string]any{"spec": spec}) {
					t.Errorf("%s: the labels are %v, and the spec %v", when, now.GetLabels(), now.Object["spec"])
				}
				w.Must(w.Env.Hub, "v1 Secret kube-admiral-system/$ns-credentials")
			}
			kept := map[string]string{"theirs": "a"}
			if manager == kube.DefaultFieldManager {
				kept = nil // no longer configured
			}
			want := engine.Member{Spec: member.Spec{Name: w.Name, AdoptExisting: new(true), Labels: map[string]string{"ours": "a"}}}
			adopted, err := e.ApplyMember(w.Context(), want, nil)
			if err != nil {
				t.Fatal(err)
			}
			labels := maps.Clone(kept)
			if labels == nil {
				labels = map[string]string{}
			}
			labels["ours"] = "a"
			is("adopted", labels)
			if err := e.DeleteMember(w.Context(), adopted); err != nil {
				t.Fatal(err)
			}
			is("released", kept)
			if err := e.DeleteMember(w.Context(), own); err != nil {
				t.Fatal(err)
			}
			for _, object := range []string{registrationKind + "$ns", "v1 Secret " + v1alpha1.SystemNamespace + "/$ns-credentials"} {
				if w.Find(w.Env.Hub, object) != nil {
					t.Errorf("%s is still there", object)
				}
			}
		})
	}
}

// TestAdoptedTaints checks that the taints of the system that registered a member are kept, regardless of the configured taints.
func TestAdoptedTaints(t *testing.T) {
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	e, _ := registrar(w)
	register(w, "another-system", "https://127.0.0.1:1")
	w.EditAs(w.Env.Hub, "another-system", "", registrationKind+"$ns", "{spec: {taints: [{key: theirs, effect: NoSchedule}]}}")
	is := func(step string, keys ...string) {
		t.Helper()
		taints, _, _ := unstructured.NestedSlice(w.Must(w.Env.Hub, registrationKind+"$ns").Object, "spec", "taints")
		var got []string
		for _, taint := range taints {
			key, _, _ := unstructured.NestedString(taint.(map[string]any), "key") //nolint:forcetypeassert // it is one
			got = append(got, key)
		}
		if !slices.Equal(got, keys) {
			t.Errorf("%s: the taints are %v, want %v", step, got, keys)
		}
	}
	var prior *engine.Member
	for _, key := range []string{"ours", "other"} {
		want := member.Spec{Name: w.Name, AdoptExisting: new(true), Taints: []member.Taint{{Key: key, Effect: placement.NoSchedule}}}
		applied, err := e.ApplyMember(w.Context(), engine.Member{Spec: want}, prior)
		if err != nil {
			t.Fatal(err)
		}
		is(key, "theirs", key)
		read, err := e.ReadMember(w.Context(), w.Name, &applied)
		if err != nil || !slices.Equal(read.Spec.Taints, want.Taints) {
			t.Errorf("%s is read as %v, %v", key, read.Spec.Taints, err)
		}
		prior = &applied
	}
	// The other system adds a taint between the read and the write.
	w.Inject(clusters.Fault{
		Context: w.Env.Hub, Times: 1, Match: func(r clusters.Request) bool { return r.Write() && !r.DryRun },
		Hook: func(clusters.Request) {
			w.EditAs(w.Env.Hub, "another-system", "", registrationKind+"$ns", "{spec: {taints: [{key: late, effect: NoSchedule}, {key: other, effect: NoSchedule}]}}")
		},
	})
	recorded := w.Connect(enginetest.Access{Kubeconfig: w.Kubeconfig()})
	recorded.Members[w.Name] = recorded.Members[w.Members[0]]
	want := member.Spec{Name: w.Name, AdoptExisting: new(true), Taints: []member.Taint{{Key: "ours", Effect: placement.NoSchedule}}}
	applied, err := w.Fleet.Subject.New(recorded).ApplyMember(w.Context(), engine.Member{Spec: want}, prior)
	if err != nil {
		t.Fatal(err)
	}
	is("a taint meanwhile", "late", "ours")
	if err := e.DeleteMember(w.Context(), applied); err != nil {
		t.Fatal(err)
	}
	is("released", "late")
	w.Remove(w.Env.Hub, registrationKind+"$ns")
}
