package protocol

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// life is the life of a resource, from its creation to its end.
type life struct {
	address, id string
	// provider is the provider configuration, first the resource, and second the changed resource.
	provider, first, second string
	// makeDrift makes a change on the clusters that an update reverts, nil if there is none. deleteAll deletes the objects.
	makeDrift, deleteAll func()
}

// live checks what Terraform expects of every resource.
func (l life) live(t *testing.T) {
	t.Helper()
	w := New()
	changes(t, w.Plan(t.Context(), l.provider+l.first), l.address, Create)
	changes(t, w.Apply(t.Context(), l.provider+l.first), l.address, Create)
	changes(t, w.Plan(t.Context(), l.provider+l.first), l.address, NoOp)
	changes(t, w.Apply(t.Context(), l.provider+l.second), l.address, Update)
	changes(t, w.Apply(t.Context(), l.provider+l.second), l.address, NoOp)

	byID, byIdentity := New(), New()
	done(t, byID.Import(t.Context(), l.provider+l.second, l.address, l.id))
	changes(t, byID.Plan(t.Context(), l.provider+l.second), l.address, NoOp)
	done(t, byIdentity.ImportByIdentity(t.Context(), l.provider+l.second, l.address, w))
	changes(t, byIdentity.Plan(t.Context(), l.provider+l.second), l.address, NoOp)

	if l.makeDrift != nil {
		l.makeDrift()
		changes(t, w.Apply(t.Context(), l.provider+l.second), l.address, Update)
		changes(t, w.Plan(t.Context(), l.provider+l.second), l.address, NoOp)
	}
	l.deleteAll()
	if got := w.Plan(t.Context(), l.provider); done(t, got).Changes[l.address].Action != "" {
		t.Errorf("the plan destroys a resource that no longer exists:\n%s", got)
	}
	rejects(t, New().Import(t.Context(), l.provider+l.second, l.address, l.id), "Cannot import non-existent remote object")
	changes(t, w.Apply(t.Context(), l.provider+l.second), l.address, Create)
	changes(t, w.Plan(t.Context(), l.provider), l.address, Delete)
	changes(t, w.Apply(t.Context(), l.provider), l.address, Delete)
	if left := w.State(l.address); !left.IsNull() {
		t.Errorf("the state still has %s", show(left))
	}
}

// patches returns a function that patches a ConfigMap on a cluster.
func patches(t *testing.T, namespace, name, on, patch string) func() {
	t.Helper()
	return func() {
		t.Helper()
		if err := fleet.On(t, on).Patch(t.Context(), "v1", "ConfigMap", namespace, name, patch); err != nil {
			t.Fatal(err)
		}
	}
}

// deletes returns a function that deletes a ConfigMap on clusters.
func deletes(t *testing.T, namespace, name string, on ...string) func() {
	t.Helper()
	return func() {
		t.Helper()
		for _, cluster := range on {
			if err := fleet.On(t, cluster).Delete(t.Context(), "v1", "ConfigMap", namespace, name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// This test registers the hub as a member, so that the fleet of the other tests does not change.
func TestLifeOfMemberCluster(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const configuration = "resource \"fleet_member_cluster\" \"spare\" {\n  name = \"spare\"\n  labels = { color = \"%s\" }\n}\n"
	life{
		address: "fleet_member_cluster.spare", id: "spare",
		provider: fmt.Sprintf("provider \"fleet\" {\n  engine = \"direct\"\n  members = { spare = { config_path = %q, config_context = \"hub\" } }\n}\n", fleet.Env.Kubeconfig),
		first:    fmt.Sprintf(configuration, "red"), second: fmt.Sprintf(configuration, "blue"),
		deleteAll: deletes(t, "fleet-system", "member-cluster", "hub"),
	}.live(t)
}

func TestLifeOfEnvelope(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: life-envelope}\n")
	const configuration = `
resource "fleet_envelope_configmap" "e" {
  name      = "e"
  namespace = "life-envelope"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: '%d'}}}" }
}
`
	life{
		address: "fleet_envelope_configmap.e", id: "life-envelope/e",
		provider: provider, first: fmt.Sprintf(configuration, 4), second: fmt.Sprintf(configuration, 5),
		// A ConfigMap without the annotation is no envelope; an update restores it.
		makeDrift: patches(t, "life-envelope", "e", "hub", `{"metadata":{"annotations":{"kubernetes-fleet.io/envelope-configmap":null}}}`),
		deleteAll: deletes(t, "life-envelope", "e", "hub"),
	}.live(t)
}

// TestEnvelopeOnHub checks that a plan knows the objects of an envelope, that a change of formatting is no change, and that the ConfigMap on the hub matches
// the published documentation.
func TestEnvelopeOnHub(t *testing.T) {
	t.Parallel()
	const address, configuration = "fleet_envelope_configmap.e", `
resource "fleet_envelope_configmap" "e" {
  name      = "e"
  namespace = "envelope-on-hub"
  manifests = { "quota.yaml" = %q }
}
`
	provider := configured(t, "")
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: envelope-on-hub}\n")
	plain := provider + fmt.Sprintf(configuration, "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: envelope-on-hub}\nspec:\n  hard:\n    pods: \"4\"\n")
	formatted := provider + fmt.Sprintf(configuration,
		"# a comment\nkind: ResourceQuota\napiVersion: v1\nspec: {hard: {pods: '4'}}\nmetadata: {namespace: envelope-on-hub, name: q}\n")
	w := New()
	got := changes(t, w.Plan(t.Context(), plain), address, Create)
	if kind := Lookup(got.After, "objects", 0, "kind"); kind != "ResourceQuota" {
		t.Errorf("kind in the plan: %v", kind)
	}
	got = changes(t, w.Apply(t.Context(), plain), address, Create)
	if name := Lookup(got.After, "resource_selectors", 0, "name"); name != "envelope-on-hub" {
		t.Errorf("name in the selector: %v", name)
	}
	changes(t, w.Plan(t.Context(), formatted), address, NoOp)
	live, err := fleet.On(t, "hub").Get(t.Context(), "v1", "ConfigMap", "envelope-on-hub", "e")
	if err != nil || live == nil {
		t.Fatalf("read the envelope on the hub: %v", err)
	}
	if got := live.GetAnnotations()["kubernetes-fleet.io/envelope-configmap"]; got != "true" {
		t.Errorf("annotation: %q", got)
	}
	if data, _, _ := unstructured.NestedStringMap(live.Object, "data"); len(data) != 1 || data["quota.yaml"] == "" {
		t.Errorf("data: %v", data)
	}
}

func TestLifeOfPlacement(t *testing.T) {
	t.Parallel()
	const configuration = `
resource "fleet_crp" "p" {
  name      = "life-placement"
  manifests = { "all.yaml" = <<-YAML
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: life-placement, namespace: default}
    data: {color: %s}
  YAML
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
}
`
	life{
		address: "fleet_crp.p", id: "life-placement",
		provider: withoutHub(t), first: fmt.Sprintf(configuration, "red"), second: fmt.Sprintf(configuration, "blue"),
		makeDrift: patches(t, "default", "life-placement", "member-2", `{"data":{"color":"green"}}`),
		deleteAll: func() {
			deletes(t, "default", "life-placement", "member-1", "member-2")()
			deletes(t, "fleet-system", "placement-life-placement", "member-1", "member-2")()
		},
	}.live(t)
}

func TestLifeOfOverrides(t *testing.T) {
	t.Parallel()
	const body = `
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ x = "%s" }) }]
  }] }
}
`
	for name, l := range map[string]life{
		"cluster-scoped": {
			address: "fleet_cluster_resource_override.o", id: "life-override",
			first: `resource "fleet_cluster_resource_override" "o" {
  name                       = "life-override"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "life-override" }]` + body,
			makeDrift: deletes(t, "fleet-system", "cluster-resource-override-life-override", "member-2"),
			deleteAll: deletes(t, "fleet-system", "cluster-resource-override-life-override", "member-1", "member-2", "member-3"),
		},
		"namespaced": {
			address: "fleet_resource_override.o", id: "life-override/o",
			first: `resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "life-override"
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web" }]` + body,
			makeDrift: deletes(t, "fleet-system", "resource-override-life-override.o", "member-2"),
			deleteAll: deletes(t, "fleet-system", "resource-override-life-override.o", "member-1", "member-2", "member-3"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.provider = configured(t, "")
			l.first, l.second = fmt.Sprintf(l.first, "y"), fmt.Sprintf(l.first, "z")
			l.live(t)
		})
	}
}

// A copy does not change with the workload.
func TestLifeOfWorkload(t *testing.T) {
	t.Parallel()
	const address, configuration = "fleet_workload.w", `
resource "fleet_workload" "w" {
  cluster   = "member-1"
  version   = "v1"
  kind      = "ConfigMap"
  namespace = "life-workload"
  name      = "settings"
  triggers  = { at = "%s" }
}
`
	provider := configured(t, "")
	fleet.Put(t, "member-1", "{apiVersion: v1, kind: Namespace, metadata: {name: life-workload}}\n---\n"+
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: life-workload}, data: {color: red}}")
	first, second := provider+fmt.Sprintf(configuration, "first"), provider+fmt.Sprintf(configuration, "second")
	w := New()
	got := changes(t, w.Apply(t.Context(), first), address, Create)
	if text := fmt.Sprint(Lookup(got.After, "manifests")); !strings.Contains(text, "color: red") {
		t.Errorf("copy: %s", text)
	}
	if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "life-workload", "settings", `{"data":{"color":"blue"}}`); err != nil {
		t.Fatal(err)
	}
	changes(t, w.Apply(t.Context(), first), address, NoOp)
	got = changes(t, w.Apply(t.Context(), second), address, Update)
	if text := fmt.Sprint(Lookup(got.After, "manifests")); !strings.Contains(text, "color: blue") {
		t.Errorf("copy: %s", text)
	}
	const id = "cluster=member-1,apiVersion=v1,kind=ConfigMap,namespace=life-workload,name=settings"
	imported := New()
	done(t, imported.Import(t.Context(), second, address, id))
	changes(t, imported.Plan(t.Context(), strings.Replace(second, "triggers", "# triggers", 1)), address, NoOp)
	deletes(t, "life-workload", "settings", "member-1")()
	changes(t, w.Plan(t.Context(), second), address, NoOp)
	rejects(t, New().Plan(t.Context(), second), "life-workload/settings")
	rejects(t, New().Import(t.Context(), second, address, id), "non-existent")
	changes(t, w.Apply(t.Context(), provider), address, Delete)
}
