package kubefleet_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const settings = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: hello}}`

// A placement in a namespace places the selected objects into the same namespace of the members, next to a cluster-scoped placement of the same name, and
// removes them again.
func TestResourcePlacement(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, app)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---\n"+settings)
	e := w.Engine()
	beside := placing(w)
	if _, err := beside.Apply(w.Context(), e); err != nil {
		t.Fatal(err)
	}
	w.DeleteAtEnd(beside)
	p := engine.Placement{
		Reference: engine.Reference{Namespace: w.Name, Name: w.Name},
		Spec:      placement.Spec{ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}}},
	}
	preview, err := e.Preview(w.Context(), p, engine.PreviewOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if preview.Placement != w.Name+"/"+w.Name || len(preview.Selected) != 1 || len(preview.Clusters) != 3 {
		t.Fatalf("predicted: %+v", preview)
	}
	for _, c := range preview.Clusters {
		if !c.Picked || len(c.Objects) != 1 || c.Objects[0].Action != takeover.ActionCreate {
			t.Errorf("predicted on %s: %+v", c.Name, c)
		}
	}
	result, err := e.ApplyPlacement(w.Context(), p, engine.ApplyOptions{Create: true, WaitUntilAvailable: true})
	if err != nil {
		t.Fatal(err)
	}
	available(t, w, result)
	for _, member := range w.Members {
		w.Must(member, "v1 ConfigMap $ns/settings")
	}
	if _, err := e.Preview(w.Context(), p, engine.PreviewOptions{Create: true}); !isExists(err) {
		t.Errorf("a second one of the name: %v", err)
	}
	p.Prior = &result.Status
	read, err := e.ReadPlacement(w.Context(), p)
	if err != nil || len(read.Spec.ResourceSelectors) != 1 || read.Spec.Strategy != nil || read.Spec.Policy != nil {
		t.Errorf("read back: %+v, %v", read, err)
	}
	if _, err := e.DeletePlacement(w.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		if w.Find(member, "v1 ConfigMap $ns/settings") != nil {
			t.Errorf("the object is still on %s", member)
		}
		w.Must(member, "v1 ConfigMap $ns-app/settings")
	}
}

func isExists(err error) bool {
	_, is := errors.AsType[*engine.ExistsError](err)
	return is
}

// A placement in a namespace cannot select a cluster-scoped object.
func TestResourcePlacementSelectsInItsNamespace(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	for _, kind := range []string{"Namespace", "PersistentVolume"} {
		p := engine.Placement{
			Reference: engine.Reference{Namespace: w.Name, Name: w.Name},
			Spec:      placement.Spec{ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: kind, Name: "x"}}},
		}
		if _, err := w.Engine().Preview(w.Context(), p, engine.PreviewOptions{}); err == nil || !strings.Contains(err.Error(), "cannot select cluster-scoped") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Objects that were taken over for the report of a placement in a namespace are deleted with the placement. The plan of the removal shows these objects, and
// not the objects of a cluster-scoped placement with the same name.
func TestResourcePlacementRemovalAfterReport(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---\n"+settings)
	w.Put(w.Members[0], app+"\n---\n"+settings)
	e := w.Engine()
	reports := placement.ApplyStrategy{Type: placement.ReportDiff}
	beside := placing(w).Strategy(reports)
	if _, err := beside.Apply(w.Context(), e); err != nil {
		t.Fatal(err)
	}
	w.DeleteAtEnd(beside)
	p := engine.Placement{
		Reference: engine.Reference{Namespace: w.Name, Name: w.Name},
		Spec: placement.Spec{
			ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
			Strategy:          &placement.Strategy{ApplyStrategy: &reports},
		},
	}
	result, err := e.ApplyPlacement(w.Context(), p, engine.ApplyOptions{Create: true, WaitUntilAvailable: true})
	if err != nil || result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	p.Prior = &result.Status
	preview, err := e.PreviewDelete(w.Context(), p, engine.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := does(preview, w.Members[0]), w.Expand("prune ConfigMap $ns/settings"); got != want {
		t.Errorf("predicted %q, want %q", got, want)
	}
	if _, err := e.DeletePlacement(w.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if w.Find(w.Members[0], "v1 ConfigMap $ns/settings") != nil {
		t.Error("the object is still there")
	}
	w.Must(w.Members[0], "v1 ConfigMap $ns-app/settings")
}

// does returns the predicted actions on the objects of a cluster.
func does(preview *engine.Preview, cluster string) string {
	var out []string
	for _, c := range preview.Clusters {
		if c.Name != cluster {
			continue
		}
		for _, o := range c.Objects {
			out = append(out, string(o.Action)+" "+o.Identifier.String())
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
