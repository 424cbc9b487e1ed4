package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// owned are objects with the marks of several owners. %[1]s is their namespace, and %[2]s the start of a hostile release name.
const owned = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: %[1]s}, data: {secret: hunter2}}
---
{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: %[1]s}, stringData: {password: hunter2}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: helm, namespace: %[1]s, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: %[1]s}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: hostile, namespace: %[1]s, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: "%[2]s\nforged\u001b[31m"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: admiral, namespace: %[1]s, labels: {kubeadmiral.io/managed: "true"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: applied, namespace: %[1]s, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}}
`

// ownerOf reads the owner of an object on member-1.
func ownerOf(t *testing.T, provider, object string) cty.Value {
	t.Helper()
	ref := fixture.ParseRef(object)
	group := ""
	if gvk := ref.GVK(); gvk.Group != "" {
		group = fmt.Sprintf("group = %q", gvk.Group)
	}
	got := done(t, New().Plan(t.Context(), provider+fmt.Sprintf(`
data "fleet_object_owner" "o" {
  cluster   = "member-1"
  %s
  version   = %q
  kind      = %q
  namespace = %q
  name      = %q
}
`, group, ref.GVK().Version, ref.Kind, ref.Namespace, ref.Name)))
	value := got.Changes["data.fleet_object_owner.o"].After
	if text := show(value); strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
		t.Errorf("%s: a value is in the state: %s", object, text)
	}
	return value
}

// The data source names the owner of an object, and has no values of the object.
func TestObjectOwner(t *testing.T) {
	t.Parallel()
	provider, namespace := withoutHub(t), "whose"
	fleet.Put(t, "member-1", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace))
	client := fleet.On(t, "member-1")
	if err := client.As("my-client").Create(t.Context(), fmt.Appendf(nil, owned, namespace, strings.Repeat("x", 5000))); err != nil {
		t.Fatal(err)
	}
	server, err := fixture.Parse(fmt.Appendf(nil, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: %s}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, "+
		"template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}}", namespace))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.As("kubectl-create").Add(t.Context(), server[0], false); err != nil {
		t.Fatal(err)
	}
	placement := provider + fmt.Sprintf(`
resource "fleet_crp" "p" {
  name      = "%[1]s"
  manifests = { o = "{apiVersion: v1, kind: ConfigMap, metadata: {name: placed, namespace: %[1]s}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  strategy  = { apply_strategy = { when_to_take_over = "Always" } }
}
`, namespace)
	w := New()
	done(t, w.Apply(t.Context(), placement))
	t.Cleanup(func() { w.Apply(t.Context(), provider) })
	// A copy of the object has the placement's label, but not its UID.
	placed, err := client.Get(t.Context(), "v1", "ConfigMap", namespace, "placed")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := fixture.Parse(fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: copy, namespace: %s, labels: {applyset.kubernetes.io/part-of: %s}}}",
		namespace, placed.GetLabels()["applyset.kubernetes.io/part-of"]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Add(t.Context(), copied[0], false); err != nil {
		t.Fatal(err)
	}
	for object, want := range map[string][2]string{
		"v1 ConfigMap NS/free":             {"none", ""},
		"v1 Secret NS/password":            {"none", ""},
		"v1 ConfigMap NS/helm":             {"helm", "Helm release whose/web"},
		"v1 ConfigMap NS/admiral":          {"kubeadmiral", "KubeAdmiral"},
		"v1 ConfigMap NS/applied":          {"kubectl", "kubectl"},
		"v1 ConfigMap NS/placed":           {"placement", `placement "whose"`},
		"v1 ConfigMap NS/copy":             {"unrecorded", `a copied object, or an object of a lost record: its label names the placement "whose", whose record does not list it`},
		"v1 ConfigMap NS/kube-root-ca.crt": {"kubernetes", "Kubernetes"},
		"v1 ServiceAccount NS/default":     {"kubernetes", "Kubernetes"},
		"apps/v1 Deployment NS/web":        {"kubectl", "kubectl"},
	} {
		got := ownerOf(t, provider, strings.Replace(object, "NS", namespace, 1))
		if kind, text := Lookup(got, "owner", "kind"), Lookup(got, "owner", "text"); Lookup(got, "exists") != true || kind != want[0] || text != want[1] {
			t.Errorf("%s: %v, %v, want %v", object, kind, text, want)
		}
	}
	got := ownerOf(t, provider, "v1 ConfigMap "+namespace+"/placed")
	if engine, name, id := Lookup(got, "placement", "engine"), Lookup(got, "placement", "name"), Lookup(got, "placement", "id"); engine != "direct" || name != namespace || id == "" {
		t.Errorf("placement: %v %v %v", engine, name, id)
	}
	if since, created := Lookup(got, "since"), Lookup(got, "created_at"); since != created || since == "" {
		t.Errorf("since %v, created %v", since, created)
	}
	got = ownerOf(t, provider, "v1 Secret "+namespace+"/password")
	if fields := Lookup(got, "managers", 0, "fields"); !slices.Contains(fields.([]any), "data.password") {
		t.Errorf("fields: %v", fields)
	}
	text := Lookup(ownerOf(t, provider, "v1 ConfigMap "+namespace+"/hostile"), "description").(string)
	if strings.ContainsAny(text, "\n\x1b") || len(text) > 500 || !strings.Contains(text, "Helm release xxx") {
		t.Errorf("description: %q", text)
	}
	missing := ownerOf(t, provider, "v1 ConfigMap "+namespace+"/missing")
	if Lookup(missing, "exists") != false || Lookup(missing, "owner", "kind") != "none" || !strings.HasSuffix(Lookup(missing, "description").(string), "does not exist.") {
		t.Errorf("a missing object: %s", show(missing))
	}

	taken := strings.Replace(placement, "{name: placed, namespace: "+namespace+"}", "{name: free, namespace: "+namespace+"}, data: {secret: placed}", 1)
	done(t, w.Apply(t.Context(), taken))
	free := "v1 ConfigMap " + namespace + "/free"
	if got, want := Lookup(ownerOf(t, provider, free), "description").(string), `belongs to the placement "whose" of the engine direct, which took it over`; !strings.Contains(got, want) {
		t.Errorf("after a takeover: %q lacks %q", got, want)
	}
	done(t, w.Apply(t.Context(), provider))
	if got := ownerOf(t, provider, free); Lookup(got, "owner", "kind") != "released" || Lookup(got, "owner", "text") != "left by a placement of this provider" {
		t.Errorf("after the destroy: %s", show(got))
	}
}

// The owner of a controlled object is that of its topmost controller.
func TestObjectOwnerOfControlled(t *testing.T) {
	t.Parallel()
	provider, namespace := withoutHub(t), "controlled"
	fleet.Put(t, "member-1", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s}}\n---\n"+
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: top, namespace: %[1]s, annotations: {config.k8s.io/owning-inventory: team}}}", namespace))
	client := fleet.On(t, "member-1")
	owner := "top"
	for _, name := range []string{"middle", "bottom"} {
		above, err := client.Get(t.Context(), "v1", "ConfigMap", namespace, owner)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := fixture.Parse(fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: %s, uid: %s, "+
			"controller: true}]}}", name, namespace, owner, above.GetUID()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Add(t.Context(), objects[0], false); err != nil {
			t.Fatal(err)
		}
		owner = name
	}
	got := ownerOf(t, provider, "v1 ConfigMap "+namespace+"/bottom")
	if kind, top := Lookup(got, "owner", "kind"), Lookup(got, "controllers", 1, "name"); kind != "tool" || top != "top" || len(Lookup(got, "controllers").([]any)) != 2 {
		t.Errorf("%s", show(got))
	}
}

func TestObjectOwnerRefused(t *testing.T) {
	t.Parallel()
	provider := withoutHub(t)
	of := func(cluster, kind, further string) string {
		return provider + fmt.Sprintf("data \"fleet_object_owner\" \"o\" {\n  cluster = %q\n  version = \"v1\"\n  kind = %q\n  name = \"x\"\n  %s\n}\n", cluster, kind, further)
	}
	refused(t, of("member-9", "ConfigMap", "namespace = \"default\""), `no connection to the member "member-9"`)
	refused(t, of("member-1", "Nonesuch", ""), "kind: .*Nonesuch")
	refused(t, of("member-1", "ConfigMap", ""), "namespace: a ConfigMap is namespaced: set the namespace")
	refused(t, of("member-1", "Namespace", "namespace = \"default\""), "namespace: a Namespace is cluster-scoped: omit it")
}

// The list has the objects of a Namespace, restricted by owner, kind, group or labels, and no values. It returns an error if more objects match than its limit.
func TestMemberObjects(t *testing.T) {
	t.Parallel()
	provider, namespace := withoutHub(t), "listed-owners"
	fleet.Put(t, "member-1", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s}}\n---"+owned, namespace, "web"))
	list := func(arguments string) string {
		return provider + "data \"fleet_member_objects\" \"o\" {\n  cluster = \"member-1\"\n  " + arguments + "\n}\n"
	}
	in := fmt.Sprintf("namespaces = [%q]\n  ", namespace)
	for arguments, want := range map[string]string{
		"":                                 "ConfigMap/admiral ConfigMap/applied ConfigMap/free ConfigMap/helm ConfigMap/hostile Secret/password",
		`owned_by = ["none", "kubectl"]`:   "ConfigMap/applied ConfigMap/free Secret/password",
		`owned_by = ["kubernetes"]`:        "ConfigMap/kube-root-ca.crt ServiceAccount/default",
		`kinds = ["Secret", "Deployment"]`: "Secret/password",
		`groups = ["apps", "batch"]`:       "",
		`label_selector = "app.kubernetes.io/managed-by=Helm"`: "ConfigMap/helm ConfigMap/hostile",
	} {
		value := done(t, New().Plan(t.Context(), list(in+arguments))).Changes["data.fleet_member_objects.o"].After
		var got []string
		for _, object := range Lookup(value, "objects").([]any) {
			object := object.(map[string]any)
			got = append(got, object["kind"].(string)+"/"+object["name"].(string))
		}
		if strings.Join(got, " ") != want || len(Lookup(value, "unread").([]any)) > 0 {
			t.Errorf("%s: got %v, want %s", arguments, got, want)
		}
		if encoded, err := json.Marshal(plain(value)); err != nil || strings.Contains(string(encoded), "hunter2") || strings.Contains(string(encoded), "aHVudGVyMg") {
			t.Errorf("a value is in the state: %s, %v", encoded, err)
		}
	}
	refused(t, list(in+"limit = 2"), `limit: 6 objects match, and the limit is 2\. Most of them: 5 of kind ConfigMap, 1 of kind Secret`)
	refused(t, list(`kinds = ["Nonesuch"]`), `kinds: the member "member-1" serves no kind "Nonesuch"`)
	refused(t, list(`groups = ["example.org"]`), `groups: the member "member-1" does not serve the API group "example.org"`)
	refused(t, list(`owned_by = ["someone"]`), `"someone" is not one of the values`)
}
