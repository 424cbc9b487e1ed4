package enginetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// removalCase is a case of a Namespace or definition whose deletion would delete other objects as well.
type removalCase struct {
	name string
	// since are the steps between the first apply and the removal: changes by other clients, or another apply.
	since []step
	// placed are the manifests. how and contents are the strategy.
	placed   string
	how      placement.ApplyStrategy
	contents placement.DeleteContents
	// object is the Namespace or definition. held means that it is kept because it contains objects of others. names are the objects and texts that the preview
	// must mention, and if held is true, the warnings as well.
	object string
	held   bool
	names  []string
	// remains are the objects of other clients that still exist in the end.
	remains []string
	// alone: a definition is created or deleted, which would disturb other cases that list objects of all kinds.
	alone bool
	// update: an apply without the object removes it. Otherwise the placement is deleted.
	update bool
}

const (
	takingNamespace = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-in}}"
	takingOwn       = takingNamespace + "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: $ns-in}}"
	takingTheirs    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: $ns-in}, data: {a: theirs}}"
	takingKept      = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}}"
	theirs          = "v1 ConfigMap $ns-in/theirs"
	theNamespace    = "v1 Namespace $ns-in"
)

var removalCases = []removalCase{
	{name: "nothing else", placed: takingOwn, object: theNamespace},
	{
		name: "objects of the cluster, and dependents of deleted objects", placed: takingOwn, object: theNamespace,
		since: []step{
			put("controller", "{apiVersion: v1, kind: ConfigMap, metadata: {name: child, namespace: $ns-in}}"),
			ownedBy("v1 ConfigMap $ns-in/child", "v1 ConfigMap $ns-in/own"),
			put("controller", "{apiVersion: v1, kind: ConfigMap, metadata: {name: grandchild, namespace: $ns-in}}"),
			ownedBy("v1 ConfigMap $ns-in/grandchild", "v1 ConfigMap $ns-in/child"),
			put("cluster", "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: leader, namespace: $ns-in}}"),
			put("cluster", "{apiVersion: v1, kind: Event, metadata: {name: happened, namespace: $ns-in}, involvedObject: {namespace: $ns-in}}"),
		},
	},
	{
		name: "an object of others", placed: takingOwn, object: theNamespace, since: []step{put("kubectl", takingTheirs)},
		held: true, names: []string{"ConfigMap $ns-in/theirs"}, remains: []string{theirs},
	},
	{
		name: "many objects of others", placed: takingOwn, object: theNamespace, since: []step{
			put("kubectl", takingTheirs), put("kubectl", strings.ReplaceAll(takingTheirs, "name: theirs", "name: theirs-2")),
			put("kubectl", strings.ReplaceAll(takingTheirs, "name: theirs", "name: theirs-3")),
			put("kubectl", strings.ReplaceAll(takingTheirs, "name: theirs", "name: theirs-4")),
			put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: theirs, namespace: $ns-in}}"),
		},
		held: true, names: []string{"ConfigMap $ns-in/theirs", "and 2 more objects"}, remains: []string{theirs, "v1 Secret $ns-in/theirs"},
	},
	{
		name: "an object of others, with contents = Delete", placed: takingOwn, object: theNamespace, since: []step{put("kubectl", takingTheirs)},
		contents: placement.TakeContents, names: []string{"ConfigMap $ns-in/theirs"},
	},
	{
		name: "an object of others, on update", placed: takingOwn, object: theNamespace, since: []step{put("kubectl", takingTheirs)}, update: true,
		held: true, names: []string{"ConfigMap $ns-in/theirs"}, remains: []string{theirs},
	},
	{
		name: "a refused object", placed: takingOwn, object: theNamespace, since: []step{
			put("kubectl", takingTheirs), placingTheirs(placement.TakeOverNever),
		},
		held: true, names: []string{"ConfigMap $ns-in/theirs"}, remains: []string{theirs},
	},
	{
		name: "an adopted object", placed: takingOwn, object: theNamespace, since: []step{
			put("kubectl", takingTheirs), placingTheirs(placement.TakeOverAlways),
		},
		held: true, names: []string{"ConfigMap $ns-in/theirs"}, remains: []string{theirs},
	},
	{
		name: "a custom resource of others", alone: true, object: "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.com",
		placed: GadgetDefinition, since: []step{awaitGadgets, put("kubectl", "{apiVersion: $ns.example.com/v1, kind: Gadget, metadata: {name: theirs}}")},
		held: true, names: []string{"Gadget.$ns.example.com $ns/theirs"}, remains: []string{"$ns.example.com/v1 Gadget theirs"},
	},
	{
		name: "a definition without custom resources", alone: true, object: "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.com",
		placed: GadgetDefinition, since: []step{awaitGadgets},
	},
}

// GadgetDefinition defines a kind for a single test.
const GadgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.com}
spec:
  group: $ns.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`

func awaitGadgets(c *Case) {
	c.Helper()
	c.AwaitKinds(c.Member, "$ns.example.com/v1 Gadget")
}

// placingTheirs returns a step that applies the placement again with the other client's object among its manifests, in a takeover mode.
func placingTheirs(mode placement.WhenToTakeOver) step {
	return func(c *Case) {
		c.Helper()
		request := c.removalRequest(removalCase{placed: takingOwn + "\n---\n" + takingTheirs, how: placement.ApplyStrategy{WhenToTakeOver: mode}})
		request.Again = true
		c.ApplyBy(c.engine, request)
	}
}

// removalRequest returns the request of a case.
func (c *Case) removalRequest(t removalCase) Request {
	c.Helper()
	request := c.request(t.placed, t.how)
	request.Spec.Strategy.DeleteStrategy = &placement.DeleteStrategy{Contents: t.contents}
	return request
}

// runRemovals runs the cases that must run alone, or the others.
func (c *contract) runRemovals(t *testing.T, alone bool) {
	for _, one := range removalCases {
		if one.alone != alone {
			continue
		}
		c.runCase(t, "takings", one.name, func(tb testing.TB) { one.run(c.newCase(tb)) })
	}
}

func (t removalCase) run(c *Case) {
	request := c.removalRequest(t)
	result := c.ApplyBy(c.engine, request)
	c.do(t.since...)
	request = request.After(result.Status)
	if t.update {
		request.Manifests = c.Manifests(takingKept)
	}
	preview := request.PreviewDelete
	if t.update {
		preview = request.Preview
	}
	predicted, err := preview(c.Context(), c.engine)
	if err != nil {
		c.Fatal(err)
	}
	t.checkPreview(c, predicted)
	var warnings []string
	if t.update {
		warnings = c.ApplyBy(c.engine, request).Warnings
	} else if result, err = request.Delete(c.Context(), c.engine); err != nil {
		c.Fatal(err)
	} else {
		warnings = result.Warnings
	}
	if t.held {
		c.Contains(strings.Join(warnings, "\n"), t.expanded(c)...)
	}
	if live := c.find(t.object); (live != nil) != t.held || live != nil && (live.GetDeletionTimestamp() != nil || c.Fleet.Subject.Marked(live)) {
		c.Errorf("%s exists: %v, want: %v (and unmarked)", t.object, live != nil, t.held)
	}
	for _, object := range t.remains {
		if live := c.find(object); live == nil || live.GetDeletionTimestamp() != nil {
			c.Errorf("%s was deleted", object)
		}
	}
	if t.held && c.find("v1 ConfigMap $ns-in/own") != nil {
		c.Error("the placement's own object still exists")
	}
}

func (t removalCase) expanded(c *Case) []string {
	var out []string
	for _, name := range t.names {
		out = append(out, c.Expand(name))
	}
	return out
}

// checkPreview checks the predicted action on the object, and the objects that the preview names.
func (t removalCase) checkPreview(c *Case, preview *engine.Preview) {
	c.Helper()
	want := takeover.ActionPrune
	if t.held {
		want = takeover.ActionOrphan
	}
	ref := c.Ref(c.Member, t.object)
	for _, cluster := range preview.Clusters {
		at := slices.IndexFunc(cluster.Objects, func(o engine.ObjectPreview) bool { return o.Kind == ref.Kind && o.Name == ref.Name })
		if cluster.Name != c.Member || at < 0 {
			continue
		}
		o := cluster.Objects[at]
		if o.Action != want || t.held != (o.Obstacle == takeover.ObstacleContents) {
			c.Errorf("predicted: %s (%s, %s), want %s", o.Action, o.Obstacle, o.Problem, want)
		}
		c.Contains(o.Problem+" "+o.Contents.Names(), t.expanded(c)...)
		return
	}
	c.Errorf("the preview lacks %s: %+v", t.object, preview.Clusters)
}
