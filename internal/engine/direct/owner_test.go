package direct_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestOwners checks the owners of an object that a placement has created, of one that it has taken over, and of both if the account may not read records.
func TestOwners(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	member := w.Members[0]
	w.Put(member, "{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: $ns}}")
	request := w.Placing("$ns-owner", "{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: $ns}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: new, namespace: $ns}}")
	w.DeleteAtEnd(request)
	w.Apply(request)
	reader := owners.NewReader(clusterset.New(nil, w.Connect(enginetest.Access{Kubeconfig: w.Kubeconfig()}).Members, 0), direct.ReadRecords)
	read := func(name string) *owners.Found {
		t.Helper()
		found, err := reader.Read(w.Context(), owners.Request{Cluster: member, Object: manifest.Identifier{
			Version: "v1", Kind: "ConfigMap", Namespace: w.Expand("$ns"), Name: name,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	list := func() (out []string, listed *owners.Listed) {
		t.Helper()
		listed, err := reader.List(w.Context(), owners.ListRequest{Cluster: member, Namespaces: []string{w.Expand("$ns")}, OwnedBy: owners.ByDefault(), Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range listed.Objects {
			out = append(out, o.Name+" "+string(o.Owner.Kind))
		}
		return out, listed
	}
	for _, name := range []string{"new", "old"} {
		found := read(name)
		if found.Owner != (takeover.Owner{Kind: takeover.OwnerPlacement, Name: request.Name, Exclusive: true}) || found.Placement.Name != request.Name {
			t.Errorf("%s: %+v, %+v", name, found.Owner, found.Placement)
		}
		// The test's pre-existing object has no managedFields, so that the time of its takeover is unknown.
		if created := found.Since == found.CreatedAt && found.Since != ""; created != (name == "new") {
			t.Errorf("since %q, created at %q", found.Since, found.CreatedAt)
		}
	}
	if got, listed := list(); !slices.Equal(got, []string{"new placement", "old placement"}) || len(listed.Unread) > 0 || listed.RecordsErr != nil {
		t.Errorf("%q, %+v", got, listed)
	}

	w.Inject(clusters.Fault{Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.HasSuffix(r.Path, "/namespaces/fleet-system/configmaps") || strings.HasSuffix(r.Path, "/secrets")
	}})
	if found := read("new"); found.Owner.Kind != takeover.OwnerApplySet || found.RecordsErr == nil {
		t.Errorf("without records: %+v, %v", found.Owner, found.RecordsErr)
	}
	got, listed := list()
	if !slices.Equal(got, []string{"new applyset", "old applyset"}) || listed.RecordsErr == nil || len(listed.Unread) != 1 || listed.Unread[0].Kind != "Secret" {
		t.Errorf("without rights: %q, %+v", got, listed)
	}
}
