package protocol

import (
	"reflect"
	"strings"
	"testing"
)

func TestDataSources(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	const arguments = `
  name      = "read"
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: read, namespace: default}}" }
`
	const preview = "data \"fleet_placement_preview\" \"p\" {" + arguments + "}\n"
	got := done(t, New().Plan(t.Context(), provider+preview))
	value := got.Changes["data.fleet_placement_preview.p"].After
	if create, conflicts := Lookup(value, "counts", "create"), Lookup(value, "conflicts"); create != 3.0 || len(conflicts.([]any)) > 0 {
		t.Errorf("create=%v, %v", create, conflicts)
	}

	// A data source that depends on a planned resource is read after the apply.
	const placement = "resource \"fleet_crp\" \"p\" {" + arguments + "}\n"
	w, dependent := New(), provider+placement+strings.Replace(preview, "}\n}", "}\n  dependencies = [fleet_crp.p.phase]\n}", 1)
	got = done(t, w.Plan(t.Context(), dependent))
	if counts := Lookup(got.Changes["data.fleet_placement_preview.p"].After, "counts"); counts != Unknown {
		t.Errorf("before the apply: %v", counts)
	}
	got = done(t, w.Apply(t.Context(), dependent))
	value = got.Changes["data.fleet_placement_preview.p"].After
	if create, dependency := Lookup(value, "counts", "create"), Lookup(value, "dependencies", 0); create != 0.0 || dependency != "Available" {
		t.Errorf("create=%v, %v", create, dependency)
	}

	const status = "data \"fleet_crp\" \"p\" {\n  name = \"read\"\n  wait_for = { condition = \"Available\", timeout = \"1m\" }\n}\n"
	got = done(t, w.Plan(t.Context(), provider+placement+status))
	if phase := Lookup(got.Changes["data.fleet_crp.p"].After, "status", "placement_statuses", "member-2", "phase"); phase != "Available" {
		t.Errorf("phase: %v", phase)
	}
	refused(t, provider+strings.Replace(status, `"read"`, `"nowhere"`, 1), `There is no placement "nowhere"`)

	const workload = "data \"fleet_workload\" \"w\" {\n  cluster = \"member-1\"\n  version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = \"default\"\n  name = \"read\"\n}\n"
	got = done(t, w.Plan(t.Context(), provider+placement+workload))
	if name := Lookup(got.Changes["data.fleet_workload.w"].After, "objects", 0, "name"); name != "read" {
		t.Errorf("workload: %v", name)
	}
	done(t, w.Apply(t.Context(), provider))
}

func TestMemberClusters(t *testing.T) {
	t.Parallel()
	got := done(t, New().Plan(t.Context(), configured(t, `
data "fleet_member_clusters" "all" {
}
data "fleet_member_clusters" "large" {
  property_selector = { match_expressions = [{ name = "kubernetes-fleet.io/node-count", operator = "Gt", values = ["1"] }] }
}
data "fleet_member_clusters" "small" {
  property_selector = { match_expressions = [{ name = "resources.kubernetes-fleet.io/total-cpu", operator = "Ge", values = ["1m"] }] }
}
data "fleet_member_clusters" "production" {
  label_selector = { match_expressions = [{ key = "environment", operator = "NotIn", values = ["canary"] }] }
}
`)))
	for name, want := range map[string][]any{
		"all": {"member-1", "member-2", "member-3"}, "large": {}, "small": {"member-1", "member-2", "member-3"}, "production": {"member-1", "member-2"},
	} {
		change := got.Changes["data.fleet_member_clusters."+name]
		if names := Lookup(change.After, "names"); change.Action != Read || !reflect.DeepEqual(names, want) {
			t.Errorf("%s: %v, want %v", name, names, want)
		}
	}
	if label := Lookup(got.Changes["data.fleet_member_clusters.all"].After, "member_clusters", "member-3", "labels", "environment"); label != "canary" {
		t.Errorf("label of member-3: %v", label)
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	const namespace, secret = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: a}}"
	for _, c := range []struct {
		name      string
		arguments []string
		at        []any
		want      any
	}{
		{"manifests", []string{namespace + "\n---\n" + secret}, []any{"namespace.a.yaml"}, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n"},
		{"schedule", []string{`[{"name": "a", "taints": [{"key": "k", "effect": "NoSchedule"}]}, {"name": "b"}]`, `{"placement_type": "PickAll"}`}, []any{"selected"}, []any{"b"}},
		{"takeover_diff", []string{namespace, "", "PartialComparison"}, []any{"decisions", "Always", "action"}, "create"},
	} {
		got, err := Call(t.Context(), c.name, c.arguments...)
		if err != nil || !reflect.DeepEqual(Lookup(got, c.at...), c.want) {
			t.Errorf("%s: %s, %v", c.name, show(got), err)
		}
	}
	if _, err := Call(t.Context(), "manifests", "kind: ["); err == nil || !strings.Contains(err.Error(), "yaml") {
		t.Errorf("no error for invalid YAML: %v", err)
	}
	if _, err := Call(t.Context(), "nonesuch"); err == nil {
		t.Error("calling an unknown function succeeded")
	}
}
