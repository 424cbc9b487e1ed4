package kubeadmiral_test

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestAppearedMeanwhile checks that an apply ends before its first write if a member has an object that its plan did not show, under Always and IfNoDiff. After
// the first write, the apply could not stop the host.
func TestAppearedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, when := range []placement.WhenToTakeOver{placement.TakeOverAlways, placement.TakeOverIfNoDiff} {
		t.Run(string(when), func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 3)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			w.Put(w.Members[1], kept)
			request := w.Placing("$ns", kept).Strategy(placement.ApplyStrategy{WhenToTakeOver: when})
			request.Expected = engine.Expect(previewed(t, w, request))
			w.Put(w.Members[0], kept)
			w.Reset()
			if _, err := request.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "did not show the takeover") {
				t.Errorf("%v", err)
			}
			for _, r := range w.Writes() {
				t.Errorf("was written nevertheless: %s", r)
			}
			request.Expected = nil
			request.Expected = engine.Expect(previewed(t, w, request))
			result := applied(t, w, request)
			for _, member := range w.Members {
				if !dispatch.Managed(w.Must(member, "v1 ConfigMap $ns/kept")) {
					t.Errorf("%s: the object is not the host's", member)
				}
			}
			w.Delete(request.After(result.Status))
			wantPresent(t, w, "v1 ConfigMap $ns/kept", w.Members[:2]...)
			gone(t, w, "v1 ConfigMap $ns/kept", w.Members[2])
		})
	}
}

// TestFieldAppearedMeanwhile checks that an apply ends before its first write if others have added a field to an object that it takes over: the host replaces the
// whole object.
func TestFieldAppearedMeanwhile(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	w.Put(w.Members[0], kept)
	request := w.Placing("$ns", kept).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways})
	request.Expected = engine.Expect(previewed(t, w, request))
	added := fixture.ParseRef(w.Expand("v1 ConfigMap $ns/kept"))
	if err := w.On(w.Members[0]).Merge(w.Context(), added, []byte(`{"data":{"added":"theirs"}}`), "", false); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	if _, err := request.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "has changed or been replaced since") {
		t.Errorf("%v", err)
	}
	for _, r := range w.Writes() {
		t.Errorf("was written nevertheless: %s", r)
	}
}

// TestNamespaceAppearedMeanwhile checks that an apply returns an error before its first write if a member has a Namespace that did not exist at the preview,
// because a host takes over every Namespace.
func TestNamespaceAppearedMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	request := w.Placing("$ns", aNamespace, own)
	request.Expected = engine.Expect(previewed(t, w, request))
	w.Put(w.Members[0], aNamespace)
	w.Reset()
	if _, err := request.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "did not show the takeover") {
		t.Errorf("%v", err)
	}
	for _, r := range w.Writes() {
		t.Errorf("was written nevertheless: %s", r)
	}
	request.Expected = nil
	request.Expected = engine.Expect(previewed(t, w, request))
	w.Delete(request.After(applied(t, w, request).Status))
	wantPresent(t, w, inNamespace, w.Members[0])
	gone(t, w, inNamespace, w.Members[1:]...)
}
