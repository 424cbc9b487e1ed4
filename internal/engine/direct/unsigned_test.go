package direct_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// importState returns the request of a state that has imported the placement: it has the identity and no key.
func (w *world) importState(request enginetest.Request) enginetest.Request {
	w.Helper()
	out, recorded := w.read(enginetest.Request{Name: request.Name, Again: true})
	if len(recorded.Trusted) != len(w.Members) {
		w.Errorf("trusted are %v", recorded.Trusted)
	}
	out.ID = recorded.ID
	return out
}

// trustedRecords returns the clusters whose records a preview uses without verification, and whether the preview has changes.
func (w *world) trustedRecords(request enginetest.Request) (names []string, pending bool) {
	w.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		if cluster.RecordTrusted {
			names = append(names, cluster.Name)
		}
	}
	return names, preview.Pending()
}

// TestImportTrustsRecords checks that the records of an imported placement are used without verification, and that the preview shows this without planning a
// change. The next apply signs all of them with the new key.
func TestImportTrustsRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("import", configMap("import", "1"), configMap("import-more", "1")), "id")
	w.DeleteAtEnd(request)
	w.Apply(request)
	imported := w.importState(request)
	if names, pending := w.trustedRecords(imported); len(names) != 2 || pending {
		t.Errorf("after the import %v are trusted, pending: %v", names, pending)
	}
	imported.Key, imported.KeyIsNew = engine.Key("a new key"), true
	imported.Manifests = w.Manifests(configMap("import", "1"), configMap("import-more", "2"))
	result := w.Apply(imported)
	w.checkComplete(result.Status)
	signed := imported.After(result.Status)
	signed.KeyIsNew = false
	if names, pending := w.trustedRecords(signed); len(names) > 0 || pending {
		t.Errorf("after the apply %v are trusted, pending: %v", names, pending)
	}
	for _, member := range w.Members {
		for key, e := range w.inventory(member, "import") {
			if e.Adopted {
				t.Errorf("%s: %s counts as pre-existing", member, key)
			}
		}
	}
	w.Delete(signed)
	w.checkNothingLeft("import")
	if w.value("member-1", "import") != "absent" || w.value("member-2", "import") != "absent" {
		t.Error("objects remain")
	}
}

// TestUnreachedRecordStaysTrusted checks that the record of a member that the signing apply does not reach stays trusted until another apply signs it. From
// then on it is verified.
func TestUnreachedRecordStaysTrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("unreached", configMap("unreached", "1")), "id")
	w.DeleteAtEnd(request)
	w.Apply(request)
	imported := w.importState(request)
	imported.Key, imported.KeyIsNew = engine.Key("a new key"), true
	imported.Manifests = w.Manifests(configMap("unreached", "2"))
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true, Match: func(clusters.Request) bool { return true }})
	result := w.Apply(imported)
	undo()
	if result.Status.Clusters["member-1"].Unsigned || !result.Status.Clusters["member-2"].Unsigned {
		t.Errorf("the status is %+v", result.Status.Clusters)
	}
	signed := imported.After(result.Status)
	signed.KeyIsNew = false
	refreshed, _ := w.read(signed)
	refreshed.Manifests = signed.Manifests
	if !refreshed.Prior.Clusters["member-2"].Unsigned {
		t.Error("a refresh signed the record")
	}
	if names, pending := w.trustedRecords(refreshed); strings.Join(names, ",") != "member-2" || !pending {
		t.Errorf("%v are trusted, pending: %v", names, pending)
	}
	plant(w, "member-1", "unreached", headText, func(head *values) { (*head)["generation"] = 8 })
	preview, err := refreshed.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.checkUnverified(preview, "member-1")
	result = w.Apply(refreshed)
	w.checkComplete(result.Status)
	if result.Status.Clusters["member-2"].Unsigned || w.inventory("member-2", "unreached")["ConfigMap unreached"].Adopted {
		t.Errorf("member-2: %+v", result.Status.Clusters["member-2"])
	}
	w.checkIdle(refreshed.After(result.Status))
}

// TestContentsOfAnImport checks that a removal by a state without a key, which cannot prove the origin of its delete strategy, keeps a Namespace with objects
// of others and reports it. After an apply has signed the records, a removal deletes the Namespace.
func TestContentsOfAnImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("inside", visitedNamespace), "id")
	request.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{Contents: placement.TakeContents}}
	w.DeleteAtEnd(request)
	w.Apply(request)
	w.Put("member-2", guest)
	imported := w.importState(request)
	removal, err := imported.PreviewDelete(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	object := removal.Clusters[1].Objects[0]
	if w.Contains(object.Problem, "contents = \"Delete\" is not followed", "run an apply"); object.Action != takeover.ActionOrphan {
		t.Errorf("the preview has %+v", object)
	}
	if _, pending := w.trustedRecords(imported); !pending {
		t.Error("the plan has no apply that would sign the delete strategy")
	}
	imported.Key, imported.KeyIsNew = engine.Key("a new key"), true
	signed := imported.After(w.Apply(imported).Status)
	signed.KeyIsNew = false
	w.Delete(signed)
	if u := w.Find("member-2", "v1 Namespace $ns-visited"); u != nil && u.GetDeletionTimestamp() == nil {
		t.Error("the Namespace remains")
	}
}

// TestPropagationPolicyOfAnImport checks that the propagation policy in the record of a member applies to the objects on that member only, as long as no
// apply of the state has set the policy.
func TestPropagationPolicyOfAnImport(t *testing.T) {
	t.Parallel()
	for kept, planted := range map[placement.DeletePropagation]placement.DeletePropagation{
		placement.AbandonObjects: placement.DeleteObjects, placement.DeleteObjects: placement.AbandonObjects,
	} {
		t.Run(string(kept), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := withIdentity(w.newRequest("policy", configMap("policy", "1")), "id")
			request.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: kept}}
			w.DeleteAtEnd(request)
			w.Apply(request)
			plant(w, "member-1", "policy", headText, func(head *values) { (*head)["generation"] = 8 })
			plant(w, "member-1", "policy", specText, func(spec *values) {
				(*spec)["strategy"] = values{"deleteStrategy": values{"propagationPolicy": planted}}
			})
			imported := w.importState(request)
			if got := imported.Spec.Strategy.DeleteStrategy.PropagationPolicy; got != planted {
				t.Fatalf("the import has %q", got)
			}
			w.Delete(imported)
			for member, policy := range map[string]placement.DeletePropagation{"member-1": planted, "member-2": kept} {
				if got, stays := w.value(member, "policy"), policy == placement.AbandonObjects; (got == "1") != stays {
					t.Errorf("%s: the record has %q, the object is %s", member, policy, got)
				}
			}
		})
	}
}

// TestRecordOfEarlierPlacement checks that a member that returns with the record of an earlier placement of the same name is an error, and that the remedy in
// the error works.
func TestRecordOfEarlierPlacement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := withIdentity(w.newRequest("earlier", configMap("earlier", "1")), "id-1")
	first = first.After(w.Apply(first).Status)
	backup := w.Must("member-1", record("ConfigMap", "earlier"))
	w.Delete(first)
	second := withIdentity(w.newRequest("earlier", configMap("earlier", "1")), "id-2")
	second.Key = engine.Key("the key of the second")
	w.DeleteAtEnd(second)
	second = second.After(w.Apply(second).Status)
	w.Edit("member-1", record("ConfigMap", "earlier"), jsonOf(t, values{"data": backup.Object["data"]}))
	var elsewhere *engine.ManagedElsewhereError
	_, applied := second.Apply(t.Context(), w.Engine())
	_, removed := second.Delete(t.Context(), w.Engine())
	for _, err := range []error{applied, removed} {
		if !errors.As(err, &elsewhere) {
			t.Fatalf("got error %v", err)
		}
		w.Contains(err.Error(), "restored from a backup", "delete the ConfigMap fleet-system/placement-"+second.Name, "\"member-1\"")
	}
	w.Remove("member-1", record("ConfigMap", "earlier"))
	result := w.Apply(second)
	w.checkComplete(result.Status)
	second = second.After(result.Status)
	w.checkIdle(second)
	w.Delete(second)
	if w.value("member-1", "earlier") != "1" || w.value("member-2", "earlier") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "earlier"), w.value("member-2", "earlier"))
	}
}
