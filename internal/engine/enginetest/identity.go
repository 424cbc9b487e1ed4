package enginetest

import (
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Noun is a thing that an engine may keep as an object on a hub.
type Noun string

// The nouns, with those of one kind that are in a namespace apart.
const (
	Member              Noun = "a member"
	ClusterPlacement    Noun = "a placement"
	NamespacedPlacement Noun = "a placement in a namespace"
	Envelope            Noun = "an envelope"
	ClusterOverride     Noun = "an override"
	NamespacedOverride  Noun = "an override in a namespace"
	ClusterStrategy     Noun = "an update strategy"
	NamespacedStrategy  Noun = "an update strategy in a namespace"
	ClusterRun          Noun = "a staged update run"
	NamespacedRun       Noun = "a staged update run in a namespace"
	Budget              Noun = "a disruption budget"
)

// identity is a case of an object on a hub that another user deletes and recreates. Every verb rejects the new object.
type identity struct {
	noun Noun
	// namespaced says that the object is in the world's namespace.
	namespaced bool
	verbs
}

func (i identity) name() string { return string(i.noun) + " that another user recreated" }

var identities = []identity{
	{Member, false, members},
	{ClusterPlacement, false, placements},
	{NamespacedPlacement, true, placements},
	{Envelope, true, envelopes},
	{ClusterOverride, false, overrides},
	{NamespacedOverride, true, overrides},
	{ClusterStrategy, false, strategies},
	{NamespacedStrategy, true, strategies},
	{ClusterRun, false, runs},
	{NamespacedRun, true, runs},
	{Budget, false, budgets},
}

// identities runs the cases of what the engine keeps as objects on a hub.
func (c *contract) identities(t *testing.T) {
	for _, i := range identities {
		if text := c.fleet.Subject.Kept[i.noun]; text != "" {
			c.each(t, "identity", i.name(), func(tb testing.TB) { i.run(c.newCase(tb), text) })
		}
	}
}

// run puts an object on the hub, imports it, and recreates it.
func (i identity) run(c *Case, text string) {
	hub, ctx := c.Env.Hub, c.Context()
	access := Access{Kubeconfig: c.Recorder.Kubeconfig(), WithHub: true}
	access.Options.UserAgent, access.Options.ShareFor = c.Name, -1
	e, name := c.Fleet.Subject.New(c.Connect(access)), engine.Reference{Name: c.Name}
	c.Put(hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: placed, namespace: $ns}}")
	if i.namespaced {
		name.Namespace = c.Name
	}
	ours := c.Put(hub, text)
	c.Cleanup(func() { c.erase(hub, ours) })
	known, err := i.read(ctx, e, name, "")
	if err != nil || known != string(ours.GetUID()) {
		c.Fatalf("the import: %q, %v, want the UID %q", known, err, ours.GetUID())
	}
	c.erase(hub, ours)
	theirs := c.Put(hub, text)
	before := len(c.requests())
	_, err = i.read(ctx, e, name, known)
	returned := i.write(ctx, e, name, known)
	returned["read"] = err
	for verb, err := range returned {
		replaced, is := errors.AsType[*engine.ReplacedError](err)
		if !is || replaced.Known != known || replaced.Found != string(theirs.GetUID()) || replaced.Import != name || replaced.Cluster != hub {
			c.Errorf("%s: %v", verb, err)
		}
	}
	for _, r := range c.requests()[before:] {
		if r.Write() {
			c.Errorf("the object of another user was written: %s", r)
		}
	}
	if found, err := i.read(ctx, e, name, ""); err != nil || found != string(theirs.GetUID()) {
		c.Errorf("another import: %q, %v, want the UID %q", found, err, theirs.GetUID())
	}
}
