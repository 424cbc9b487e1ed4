package direct_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// newOverride returns an override, in the namespace of the world, of an object on all clusters. Without patches, it leaves the object out.
func (w *world) newOverride(name string, selector override.Selector, patches ...override.Patch) engine.Override {
	rule := override.Rule{ClusterSelector: &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}}, JSONPatchOverrides: patches}
	if len(patches) == 0 {
		rule.OverrideType = override.Delete
	}
	return engine.Override{
		Reference: override.Reference{Namespace: w.Expand("$ns"), Name: name},
		Namespaced: &override.Spec{
			ResourceSelectors: []override.Selector{selector}, Policy: &override.Policy{OverrideRules: []override.Rule{rule}},
		},
	}
}

// effects returns the effects of an override change on the placement of a test, one line for each cluster and object. want is nil to remove the override.
func (w *world) effects(reference override.Reference, want *engine.Override) string {
	w.Helper()
	change := engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{reference: {Want: want}}}
	found, err := w.Engine().(engine.OverrideEffects).PreviewOverrides(w.Context(), change)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for _, p := range found.Placements {
		if !strings.HasPrefix(p.Placement, w.Expand("$ns-")) {
			continue // a placement of another test
		}
		if p.Err != nil {
			w.Fatal(p.Placement, p.Err)
		}
		for _, c := range p.Clusters {
			if c.Err != nil {
				lines = append(lines, c.Name+": "+c.Err.Error())
			}
			for _, o := range c.Objects {
				line := fmt.Sprintf("%s: %s %s", c.Name, o.Kind, o.Name)
				if o.LeftOut {
					line += " left out"
				}
				if o.Placed {
					line += " placed"
				}
				for _, d := range o.Differences {
					line += fmt.Sprintf(" %s=%s->%s", d.Field, diff.Render(d.InMember), diff.Render(d.InHub))
				}
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

func newReplacePatch(path, value string, sensitive bool) override.Patch {
	return override.Patch{Operation: override.Replace, Path: path, Value: json.RawMessage(value), Sensitive: sensitive}
}

// TestOverrideEffects checks the previewed effects of an override on the objects of an applied placement, and that the preview shows no sensitive value.
func TestOverrideEffects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("effects", configMap("effects", "one"), "{apiVersion: v1, kind: Secret, metadata: {name: effects}, stringData: {a: b}}")
	w.DeleteAtEnd(request)
	w.Apply(request)
	config, secret := override.Selector{Version: "v1", Kind: "ConfigMap", Name: "effects"}, override.Selector{Version: "v1", Kind: "Secret", Name: "effects"}
	isMember1 := w.newOverride("effects", config, newReplacePatch("/data/value", `"two"`, false))
	isMember1.Namespaced.Policy.OverrideRules[0].ClusterSelector = &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{override.MemberNameLabel: w.Members[0]}},
	}}}
	other := w.newOverride("effects", override.Selector{Version: "v1", Kind: "ConfigMap", Name: "other"}, newReplacePatch("/data/value", `"two"`, false))
	elsewhere := w.newOverride("effects", config, newReplacePatch("/data/value", `"two"`, false))
	elsewhere.Namespaced.Placement = &override.PlacementReference{Name: "another"}
	both := func(text string) string { return w.Members[0] + ": " + text + "\n" + w.Members[1] + ": " + text }
	for name, c := range map[string]struct {
		o    engine.Override
		want string
	}{
		"a field on a cluster":  {isMember1, w.Members[0] + `: ConfigMap effects data.value="one"->"two"`},
		"the same value":        {w.newOverride("effects", config, newReplacePatch("/data/value", `"one"`, false)), ""},
		"a sensitive value":     {w.newOverride("effects", config, newReplacePatch("/data/value", `"planted"`, true)), both("ConfigMap effects data.value=" + diff.Redacted + "->" + diff.Redacted)},
		"a value of a Secret":   {w.newOverride("effects", secret, newReplacePatch("/stringData/a", `"planted"`, true)), both("Secret effects stringData.a=" + diff.Redacted + "->" + diff.Redacted)},
		"not placed":            {w.newOverride("effects", config), both("ConfigMap effects left out")},
		"of another object":     {other, ""},
		"for another placement": {elsewhere, ""},
		"that cannot be applied": {
			w.newOverride("effects", config, override.Patch{Operation: override.Remove, Path: "/data/missing"}),
			"",
		},
	} {
		got := w.effects(c.o.Reference, &c.o)
		if name == "that cannot be applied" {
			w.Contains(got, w.Members[0]+": ", w.Members[1]+": ", "/data/missing")
		} else if got != strings.ReplaceAll(c.want, diff.Redacted, diff.Render(diff.Redacted)) {
			t.Errorf("%s: %q instead of %q", name, got, c.want)
		}
	}
	unknown := engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{other.Reference: {Want: &other, Partial: true}}}
	if _, err := w.Engine().(engine.OverrideEffects).PreviewOverrides(t.Context(), unknown); err == nil || !strings.Contains(err.Error(), "known only after apply") {
		t.Errorf("an override that is not known: %v", err)
	}
}

const sensitiveDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: sensitive}
spec:
  selector: {matchLabels: {app: sensitive}}
  template:
    metadata: {labels: {app: sensitive}}
    spec: {containers: [{name: a, image: example.com/a:1}], restartPolicy: Always}
`

// TestSensitiveOverride checks that neither the ConfigMap that records the override, nor a preview, nor a status contains a sensitive value for an object other
// than a Secret, even after the override is removed or if the API server rejects the value.
//
// It is not parallel: other tests count requests, and the preview of any placement reads the Secret of an override with sensitive values.
func TestSensitiveOverride(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t)
	request := w.newRequest("sensitive", configMap("sensitive", "one"), sensitiveDeployment)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	quiet := func(what string, value any) {
		t.Helper()
		if text := fmt.Sprintf("%+v %s", value, jsonOf(t, value)); strings.Contains(text, "planted") {
			t.Errorf("%s: %s", what, text)
		}
	}
	config := w.newOverride("sensitive", override.Selector{Version: "v1", Kind: "ConfigMap", Name: "sensitive"}, newReplacePatch("/data/value", `"planted one"`, true))
	kept, err := w.Engine().ApplyOverride(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	remove := func() {
		if err := w.Engine().DeleteOverride(context.Background(), kept.Override); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(remove)
	const named = "fleet-system/resource-override-$ns.sensitive"
	quiet("the record", w.Must(w.Members[0], "v1 ConfigMap "+named).Object)
	read, err := w.Engine().ReadOverride(t.Context(), config.Reference, nil)
	if err != nil || len(read.Namespaced.Policy.Sensitive()) != 1 || string(read.Namespaced.Policy.OverrideRules[0].JSONPatchOverrides[0].Value) != `"planted one"` {
		t.Errorf("an import does not mark the sensitive values: %+v, %v", read.Namespaced, err)
	}
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil || !preview.Pending() {
		t.Fatal("the preview is empty", err)
	}
	quiet("the preview", preview.Clusters)
	result := w.Apply(request)
	quiet("the result", result.Status)
	if got := w.value(w.Members[0], "sensitive"); got != "planted one" {
		t.Errorf("the value is %q", got)
	}
	request = request.After(result.Status)
	w.checkIdle(request)
	if got := w.effects(config.Reference, nil); !strings.Contains(got, diff.Redacted) || strings.Contains(got, "planted") {
		t.Errorf("without the override: %q", got)
	}
	world := engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{config.Reference: {}}}
	without := request
	without.World = world
	if preview, err = without.Preview(t.Context(), w.Engine()); err != nil || !preview.Pending() {
		t.Fatal("the preview without the override is empty", err)
	}
	quiet("the preview without the override", preview.Clusters)
	remove()
	request = request.After(w.Apply(request).Status)

	rejected := w.newOverride("sensitive", override.Selector{Group: "apps", Version: "v1", Kind: "Deployment", Name: "sensitive"},
		newReplacePatch("/spec/template/spec/restartPolicy", `"planted policy"`, true))
	if kept, err = w.Engine().ApplyOverride(t.Context(), rejected, nil); err != nil {
		t.Fatal(err)
	}
	if preview, err = request.Preview(t.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Contains(jsonOf(t, preview.Clusters), "restartPolicy", "redacted")
	quiet("the preview of a rejected value", preview.Clusters)
	failed, err := request.Apply(t.Context(), w.Engine())
	if err != nil {
		quiet("the error", err.Error())
	} else {
		quiet("the status", failed.Status)
	}
}
