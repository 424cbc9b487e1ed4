package protocol

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestAssume checks that a data source shows what moves under assumptions, says that nothing is changed, and changes nothing.
func TestAssume(t *testing.T) {
	t.Parallel()
	const (
		placement, previewed = "fleet_crp.p", "data.fleet_placement_preview.p"
		arguments            = `
  name      = "assumed"
  policy    = { placement_type = "PickN", number_of_clusters = 2 }
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: assumed, namespace: default}}" }`
	)
	resource := configured(t, "resource \"fleet_crp\" \"p\" {"+arguments+"\n}\n")
	data := func(first, assume string) string {
		return resource + "data \"fleet_placement_preview\" \"p\" {" + first + "\n  assume = { " + assume + " }\n}\n"
	}
	const nameOnly = "\n  name = fleet_crp.p.name"
	w := New()
	done(t, w.Apply(t.Context(), resource))
	plan := func(first, assume string) (cty.Value, string) {
		t.Helper()
		got := w.Plan(t.Context(), data(first, assume))
		changes(t, got, placement, NoOp)
		value := got.Changes[previewed].After
		report, _ := Lookup(value, "report").(string)
		if digest := Lookup(value, "digest"); digest != nil {
			t.Errorf("%s: the digest is %v", assume, digest)
		}
		if !strings.Contains(report, "> **Assumed**: ") || !strings.Contains(report, "Nothing is changed") {
			t.Errorf("%s:\n%s", assume, report)
		}
		return value, report
	}
	has := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("missing %q in:\n%s", part, text)
			}
		}
	}
	// Among clusters with equal scores, the scheduler prefers the one with the last name.
	for _, first := range []string{nameOnly, arguments} {
		value, report := plan(first, `member-3 = { state = "Unreachable" }`)
		has(report, "`member-3 is unreachable`", "nothing moves", "**not checked**")
		if Lookup(value, "clusters", "member-3", "picked") != true || Lookup(value, "clusters", "member-1", "picked") != false {
			t.Errorf("unreachable:\n%s", report)
		}
		if reason, _ := Lookup(value, "clusters", "member-3", "error").(string); !strings.Contains(reason, "assumed to be unreachable") {
			t.Errorf("error: %q", reason)
		}

		value, report = plan(first, `member-3 = { state = "Gone" }`)
		has(report, "`member-3 is gone from the fleet`", "also picks `member-1`, and no longer picks `member-3`")
		if Lookup(value, "counts", "create") != 1.0 || Lookup(value, "counts", "orphan") != 1.0 || Lookup(value, "counts", "prune") != 0.0 ||
			Lookup(value, "clusters", "member-3", "leaving") != true {
			t.Errorf("gone:\n%s", report)
		}

		_, report = plan(first, `member-1 = { labels = { zone = "a" }, taints = [{ key = "down", effect = "NoSchedule" }] }`)
		has(report, "`member-1 has the labels zone=a and the taints down:NoSchedule`", "nothing moves")

		value, report = plan(strings.ReplaceAll(first, "PickN\", number_of_clusters = 2", "PickAll\""), `
    member-2 = { state = "Gone" }
    eu-north = { state = "New", labels = { region = "eu" } }`)
		has(report, "`eu-north is new and has the labels region=eu`, `member-2 is gone from the fleet`")
		if first == nameOnly {
			continue // the policy of the resource is PickN
		}
		has(report, "`eu-north`", "the member is assumed, and was not checked")
		if Lookup(value, "clusters", "eu-north", "objects", 0, "action") != "create" || Lookup(value, "clusters", "eu-north", "check_method") != "offline" ||
			Lookup(value, "counts", "not_checked") != 1.0 {
			t.Errorf("new:\n%s", report)
		}
	}

	for assume, want := range map[string]string{
		`member-4 = { state = "Gone" }`:                                    `assume\["member-4"\]: the fleet has no member "member-4". Its members are member-1, member-2(,| and) member-3`,
		`member-4 = { labels = { a = "b" } }`:                              `set state = "New"`,
		`member-1 = { state = "New" }`:                                     "registered already",
		`member-1 = { state = "gone" }`:                                    `it is spelled "Gone"`,
		`member-1 = { state = "Gone", labels = {} }`:                       `state = "Gone" cannot be combined with labels`,
		`member-1 = {}`:                                                    "it assumes nothing",
		`member-1 = { taints = [{ key = "a b", effect = "NoSchedule" }] }`: `assume\["member-1"\].taints\[0\]`,
	} {
		rejects(t, w.Plan(t.Context(), data(nameOnly, assume)), want)
	}

	// preview = "Required" does not reject a member that is only assumed to be unreachable.
	required := strings.Replace(data(nameOnly, `member-3 = { state = "Unreachable" }`), "provider \"fleet\" {", "provider \"fleet\" {\n  preview = \"Required\"", 1)
	changes(t, w.Plan(t.Context(), required), placement, NoOp)
	changes(t, w.Plan(t.Context(), resource), placement, NoOp)
	done(t, w.Apply(t.Context(), configured(t, "")))
}
