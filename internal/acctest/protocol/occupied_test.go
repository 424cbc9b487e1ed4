package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamespaceOccupiedByAnotherState checks that the destroy of a Namespace returns an error while another state's placement has an object in it, because the
// run could remove that placement as well. The next destroy keeps the Namespace and succeeds.
func TestNamespaceOccupiedByAnotherState(t *testing.T) {
	t.Parallel()
	host, guest := newTestPlacement(t, "occupied-host"), newTestPlacement(t, "occupied-guest")
	fleet.Clear(t, host.name)
	place := func(a testPlacement, object string) {
		t.Helper()
		done(t, a.Apply(t.Context(), a.provider+fmt.Sprintf("resource \"fleet_crp\" \"p\" {\n  name = %q\n  manifests = { o = %q }\n"+
			"  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", a.name, object)))
	}
	place(host, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", host.name))
	place(guest, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: guest, namespace: %s}}", host.name))
	fleet.RemoveAtEnd(t, "member-1", "v1", "Namespace", "", host.name)

	planned := done(t, host.Plan(t.Context(), host.provider))
	host.checkMentions(planned, `Placement "occupied-host" (1 cluster) will be removed: 1 to delete if another placement is removed`)
	host.checkMentions(planned, `Namespace occupied-host on member-1: it contains objects of the placement "occupied-guest"`)
	got := host.Apply(t.Context(), host.provider)
	if !got.Failed {
		t.Fatalf("the destroy succeeded:\n%s", got)
	}
	host.checkMentions(got, `it contains objects of the placement "occupied-guest", which is not removed yet. Repeat the removal to delete it`)
	host.checkMentions(got, `if nothing removes the placement "occupied-guest" before this one, the next destroy completes and keeps the Namespaces and CustomResourceDefinitions that contain its objects`, "remove depends_on, run apply, and run destroy again")
	if strings.Contains(got.String(), "something was left behind") {
		t.Errorf("a warning repeats the error:\n%s", got)
	}

	host.checkMentions(done(t, host.Apply(t.Context(), host.provider)), "1 left on the cluster")
	live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "Namespace", "", host.name)
	if err != nil || live == nil || live.GetDeletionTimestamp() != nil {
		t.Errorf("the Namespace was deleted: %v, %v", live, err)
	}
	if len(host.state) > 0 {
		t.Error("the placement is still in the state")
	}
	done(t, guest.Apply(t.Context(), guest.provider))
}

// withObject returns a placement of one object on member-1.
func (a testPlacement) withObject(name, object string) string {
	return fmt.Sprintf("resource \"fleet_crp\" %q {\n  name = \"%s-%s\"\n  manifests = { o = %q }\n"+
		"  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n}\n", name, a.name, name, object)
}

// TestNamespaceOccupiedWithoutPreview checks that a removal without a preview waits for the other placement, and that the second removal keeps the Namespace.
func TestNamespaceOccupiedWithoutPreview(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "occupied-off")
	fleet.Clear(t, a.name)
	a.provider = strings.Replace(a.provider, `provider "fleet" {`, "provider \"fleet\" {\n  preview = \"Off\"", 1)
	namespace := a.withObject("a", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", a.name))
	guest := a.withObject("b", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: guest, namespace: %s}}", a.name))
	fleet.RemoveAtEnd(t, "member-1", "v1", "Namespace", "", a.name)
	done(t, a.Apply(t.Context(), a.provider+namespace+guest))
	got := a.Apply(t.Context(), a.provider+guest)
	if !got.Failed {
		t.Fatalf("the removal succeeded:\n%s", got)
	}
	a.checkMentions(got, `if nothing removes the placement "occupied-off-b" before this one, the next destroy completes and keeps the Namespaces and CustomResourceDefinitions that contain its objects`)
	a.checkMentions(done(t, a.Apply(t.Context(), a.provider+guest)), "Namespace occupied-off stays on the cluster")
	fleet.Check(t, "member-1", "v1", "ConfigMap", a.name, "guest", a.name, "metadata", "namespace")
	done(t, a.Apply(t.Context(), a.provider))

	done(t, a.Apply(t.Context(), a.provider+namespace+guest)) // the second placement is applied and removed together with the first one
	done(t, a.Apply(t.Context(), a.provider))
}

// TestNamespaceOccupiedUntilLater checks the plans of two placements that are destroyed in one run. The placement with the Namespace is planned first.
func TestNamespaceOccupiedUntilLater(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "occupied-later")
	fleet.Clear(t, a.name)
	namespace := a.withObject("a", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", a.name))
	done(t, a.Apply(t.Context(), a.provider+namespace+a.withObject("b", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: guest, namespace: %s}}", a.name))))
	planned := done(t, a.Plan(t.Context(), a.provider))
	a.checkMentions(planned, "1 to delete if another placement is removed", "DELETED as well, once this placement is removed:\n"+
		`  Namespace occupied-later of the placement "occupied-later-a" on member-1`)

	done(t, a.Apply(t.Context(), a.provider+namespace))
	done(t, a.Apply(t.Context(), a.provider))
	fleet.Absent(t, "member-1", "v1", "Namespace", "", a.name)
}
