package protocol

import (
	"fmt"
	"testing"
)

// TestKindAppliedLater checks two placements that are applied sequentially, where the second one has the definition of the first one's object. The apply of the
// first one says which depends_on to add, and the next apply creates the object.
func TestKindAppliedLater(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	a := newTestPlacement(t, "kind-later")
	fleet.Clear(t, a.name)
	fleet.RemoveAtEnd(t, "member-1", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets."+a.name+".example.com")
	block := func(name, object string) string {
		return fmt.Sprintf("resource \"fleet_crp\" %q {\n  name = \"%s-%s\"\n  manifests = { o = %q }\n"+
			"  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", name, a.name, name, object)
	}
	configuration := a.provider + block("widgets", fmt.Sprintf("{apiVersion: %s.example.com/v1, kind: Widget, metadata: {name: one}}", a.name)) +
		block("crds", fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.%[1]s.example.com}, spec: {group: %[1]s.example.com, "+
			"scope: Cluster, names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}, "+
			"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}", a.name))
	got := done(t, a.Apply(t.Context(), configuration))
	a.checkMentions(got, `Placement "kind-later-widgets" is not complete: 1 not applied`, "The next apply creates the objects if the clusters serve Widget (kind-later.example.com/v1) by then",
		"add depends_on = [...] with the resource of that placement to the resource of this one")
	done(t, a.Apply(t.Context(), configuration))
	if _, err := fleet.On(t, "member-1").Get(t.Context(), a.name+".example.com/v1", "Widget", "", "one"); err != nil {
		t.Error(err)
	}
	changes(t, a.Plan(t.Context(), configuration), "fleet_crp.widgets", NoOp)
	done(t, a.Apply(t.Context(), a.provider+block("crds", "{apiVersion: v1, kind: ConfigMap, metadata: {name: kind-later, namespace: default}}")))
	done(t, a.Apply(t.Context(), a.provider))
}
