package protocol

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/compatibility"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// storedRelease is what a version of the provider wrote for storedConfiguration. UIDs are replaced by the names of their objects.
type storedRelease struct {
	// Resources are by address, and Records by member.
	Resources map[string]storedResource
	Records   map[string][]*unstructured.Unstructured
}

// storedResource is a resource as a state file has it.
type storedResource struct {
	SchemaVersion, IdentityVersion int64
	Attributes, Identity           json.RawMessage
	// Private has the decoded values of the private state.
	Private map[string]json.RawMessage
}

const storedConfiguration = `
resource "fleet_member_cluster" "m" {
  name   = "member-1"
  labels = { environment = "production" }
}
resource "fleet_envelope_configmap" "e" {
  name      = "e"
  namespace = "stored-release"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: '4'}}}" }
}
resource "fleet_cluster_resource_override" "c" {
  name                       = "stored-release"
  placement                  = { name = "stored-release" }
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "stored-release" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ x = "y" }) }]
  }] }
}
resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "stored-release"
  placement          = { name = "stored-release" }
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "created" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/data/override", value = jsonencode("yes") }]
  }] }
}
resource "fleet_crp" "p" {
  name      = "stored-release"
  manifests = {
    "created.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: created, namespace: stored-release}, data: {color: red}}"
    "taken.yaml"   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: stored-release}, data: {color: red}}"
  }
  strategy   = { apply_strategy = { when_to_take_over = "Always" } }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_resource_override.o, fleet_cluster_resource_override.c]
}
resource "fleet_workload" "w" {
  cluster   = "member-2"
  version   = "v1"
  kind      = "ConfigMap"
  namespace = "stored-release"
  name      = "settings"
}
`

// storedRecords are the records of storedConfiguration on members, except the registration, which other tests use.
var storedRecords = []string{
	"ConfigMap placement-stored-release", "Secret placement-stored-release",
	"ConfigMap cluster-resource-override-stored-release", "ConfigMap resource-override-stored-release.o",
}

// TestStoredReleases checks that this version reads the states and the records of every released version, and of the version in preparation: the plan of
// the same configuration is empty, and a destroy keeps the object that the placement took over.
//
// With -update it writes what this version stores, unless the version is released.
func TestStoredReleases(t *testing.T) {
	provider := configured(t, "")
	for _, cluster := range []string{"hub", "member-1", "member-2"} {
		fleet.Put(t, cluster, "{apiVersion: v1, kind: Namespace, metadata: {name: stored-release}}")
	}
	fleet.Put(t, "member-2", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: stored-release}, data: {color: red}}")
	const taken = "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: stored-release}, data: {color: blue}}"
	configuration := provider + storedConfiguration
	for i, version := range compatibility.Described(t) {
		t.Run(version.Name, func(t *testing.T) {
			fleet.Put(t, "member-1", taken)
			w := New()
			done(t, w.Import(t.Context(), configuration, "fleet_member_cluster.m", "member-1"))
			done(t, w.Apply(t.Context(), configuration))
			uids := storedUIDs(t)
			uids["ID of the registration of member-1"] = registrationID(t, w)
			file := version.StoredBy("direct")
			if *harness.Update && i == 0 && !version.Released {
				writeRelease(t, file, w, uids)
			}
			w = readRelease(t, file, uids)
			planned := done(t, w.Plan(t.Context(), configuration))
			for _, address := range slices.Sorted(maps.Keys(planned.Changes)) {
				changes(t, planned, address, NoOp)
			}
			if len(planned.Changes) != 6 || len(planned.Diagnostics) > 0 {
				t.Errorf("%d resources in the plan:\n%s", len(planned.Changes), planned)
			}
			delete(w.state, "fleet_member_cluster.m") // other tests use the member
			done(t, w.Apply(t.Context(), provider))
			fleet.Absent(t, "member-1", "v1", "ConfigMap", "stored-release", "created")
			fleet.Check(t, "member-1", "v1", "ConfigMap", "stored-release", "taken", "red", "data", "color")
			deletes(t, "stored-release", "taken", "member-1")()
		})
	}
}

// storedUIDs returns the UIDs of clusters and objects that states and records contain, by the text that replaces them in a file.
func storedUIDs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{
		"hub v1/Namespace//kube-system", "hub v1/ConfigMap/stored-release/e", "member-1 v1/Namespace//kube-system", "member-2 v1/Namespace//kube-system",
		"member-3 v1/Namespace//kube-system", "member-1 v1/ConfigMap/stored-release/created", "member-1 v1/ConfigMap/stored-release/taken",
		"member-2 v1/ConfigMap/stored-release/settings",
	} {
		cluster, ref, _ := strings.Cut(name, " ")
		parts := strings.Split(ref, "/")
		live, err := fleet.On(t, cluster).Get(t.Context(), parts[0], parts[1], parts[2], parts[3])
		if err != nil || live == nil {
			t.Fatalf("%s: %v", name, err)
		}
		out["UID of "+name] = string(live.GetUID())
	}
	return out
}

// registrationID returns the identity that the record of member-1 has: the tests register the members once, before this test.
func registrationID(t *testing.T, w *Workspace) string {
	t.Helper()
	var private struct{ ID []byte }
	if err := json.Unmarshal(w.state["fleet_member_cluster.m"].private, &private); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := json.Unmarshal(private.ID, &id); err != nil {
		t.Fatal(err)
	}
	return id
}

// replaceUIDs replaces the texts by the UIDs, or with inverse the UIDs by the texts.
func replaceUIDs(text string, uids map[string]string, inverse bool) string {
	var pairs []string
	for name, uid := range uids {
		if inverse {
			name, uid = uid, name
		}
		pairs = append(pairs, name, uid)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// writeRelease writes the resources of a workspace and their records to a file.
func writeRelease(t *testing.T, file string, w *Workspace, uids map[string]string) {
	t.Helper()
	server := newServer()
	known, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	out := storedRelease{Resources: map[string]storedResource{}, Records: map[string][]*unstructured.Unstructured{}}
	for address, one := range w.state {
		typeName := blockOf(address).typeName
		stored := storedResource{SchemaVersion: known.ResourceSchemas[typeName].Version, IdentityVersion: identities.IdentitySchemas[typeName].Version}
		if stored.Attributes, err = ctyjson.Marshal(one.value, one.value.Type()); err != nil {
			t.Fatal(err)
		}
		of, err := typeOf(identities.IdentitySchemas[typeName].ValueType())
		if err != nil {
			t.Fatal(err)
		}
		identity, err := unpack(one.identity.IdentityData, of)
		if err != nil {
			t.Fatal(err)
		}
		if stored.Identity, err = ctyjson.Marshal(identity, of); err != nil {
			t.Fatal(err)
		}
		var private map[string][]byte
		if err := json.Unmarshal(one.private, &private); len(one.private) > 0 && err != nil {
			t.Fatal(err)
		}
		stored.Private = map[string]json.RawMessage{}
		for key, value := range private {
			stored.Private[key] = value
		}
		out.Resources[address] = stored
	}
	for _, member := range fleet.Env.Members {
		for _, name := range storedRecords {
			kind, name, _ := strings.Cut(name, " ")
			live, err := fleet.On(t, member).Get(t.Context(), "v1", kind, record.Namespace, name)
			if err != nil {
				t.Fatalf("%s %s on %s: %v", kind, name, member, err)
			}
			if live == nil {
				continue
			}
			out.Records[member] = append(out.Records[member], manifest.WithoutServerSet(live, "ownerReferences"))
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(replaceUIDs(string(text), uids, true)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readRelease reads a file, with the UIDs of the current clusters: it replaces the records, and returns a workspace with the upgraded states. It signs the
// inventory again, because the signature covers UIDs.
func readRelease(t *testing.T, file string, uids map[string]string) *Workspace {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var in storedRelease
	if err := json.Unmarshal([]byte(replaceUIDs(string(text), uids, false)), &in); err != nil {
		t.Fatal(err)
	}
	var key []byte
	if err := json.Unmarshal(in.Resources["fleet_crp.p"].Private["key"], &key); err != nil {
		t.Fatal(err)
	}
	for member, records := range in.Records {
		for _, one := range records {
			if one.GetKind() == "ConfigMap" && strings.HasPrefix(one.GetName(), record.InventoryPrefix) {
				if _, err := record.DecodeInventory(one); err != nil {
					t.Error(err)
				}
				record.Sign(one, key, uids["UID of "+member+" v1/Namespace//kube-system"])
			}
			encoded, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			if err := fleet.On(t, member).Delete(t.Context(), "v1", one.GetKind(), record.Namespace, one.GetName()); err != nil {
				t.Fatal(err)
			}
			if err := fleet.On(t, member).Create(t.Context(), encoded); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, server := New(), newServer()
	for address, stored := range in.Resources {
		w.state[address] = upgraded(t, server, blockOf(address).typeName, stored)
	}
	return w
}

// upgraded returns a stored resource after the upgrades that Terraform requests.
func upgraded(t *testing.T, server tfprotov6.ProviderServer, typeName string, stored storedResource) object {
	t.Helper()
	state, err := server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: typeName, Version: stored.SchemaVersion, RawState: &tfprotov6.RawState{JSON: stored.Attributes},
	})
	if err != nil || len(state.Diagnostics) > 0 {
		t.Fatalf("%s: the state: %v, %v", typeName, err, state.Diagnostics)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{JSON: stored.Identity}}
	if identities.IdentitySchemas[typeName].Version != stored.IdentityVersion { // Terraform requests no other upgrades
		upgrade, err := server.UpgradeResourceIdentity(t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{
			TypeName: typeName, Version: stored.IdentityVersion, RawIdentity: &tfprotov6.RawState{JSON: stored.Identity},
		})
		if err != nil || len(upgrade.Diagnostics) > 0 {
			t.Fatalf("%s: the identity: %v, %v", typeName, err, upgrade.Diagnostics)
		}
		identity = upgrade.UpgradedIdentity
	}
	known, err := ownSchemas()
	if err != nil {
		t.Fatal(err)
	}
	value, err := known.resources[typeName].value(state.UpgradedState)
	if err != nil {
		t.Fatal(err)
	}
	private := map[string][]byte{}
	for key, text := range stored.Private {
		private[key] = text
	}
	encoded, err := json.Marshal(private)
	if err != nil {
		t.Fatal(err)
	}
	return object{value: value, private: encoded, identity: identity}
}
