package enginetest

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Noun names a thing that an engine may store as an object on a hub, or in a record on members.
type Noun string

// The nouns. Namespaced things have nouns of their own.
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

// identity is a case of an object on a hub, or of a record on a member, that another user deletes and recreates. Every verb rejects the new object.
type identity struct {
	noun Noun
	// namespaced: the object is in the world's namespace.
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

// identities runs the cases for things that the engine stores as objects on a hub, or in records on members.
func (c *contract) identities(t *testing.T) {
	for _, i := range identities {
		if text := c.fleet.Subject.Kept[i.noun]; text != "" {
			c.runCase(t, "identity", i.name(), func(tb testing.TB) { i.run(c.newCase(tb), c.Env.Hub, text) })
		}
		if text := c.fleet.Subject.Recorded[i.noun]; text != "" {
			c.runCase(t, "identity", i.name(), func(tb testing.TB) { i.run(c.newCase(tb), c.Members[0], text) })
		}
	}
}

// run creates an object on the cluster, imports it, recreates it as another user, and checks that every verb rejects the new object.
func (i identity) run(c *Case, cluster, text string) {
	ctx := c.Context()
	access := Access{Kubeconfig: c.Recorder.Kubeconfig(), WithHub: true}
	access.Options.UserAgent, access.Options.ShareFor = c.Name, -1
	e, name := c.Fleet.Subject.New(c.Connect(access)), engine.Reference{Name: c.Name}
	if cluster == c.Env.Hub {
		c.Put(cluster, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: placed, namespace: $ns}}")
	}
	if i.namespaced {
		name.Namespace = c.Name
	}
	ours, uid := i.put(c, cluster, text)
	c.Cleanup(func() { c.erase(cluster, ours) })
	known, err := i.read(ctx, e, name, "")
	if err != nil || known != uid {
		c.Fatalf("import: %q, %v, want the UID %q", known, err, uid)
	}
	c.erase(cluster, ours)
	_, theirs := i.put(c, cluster, text)
	before := len(c.requests())
	_, err = i.read(ctx, e, name, known)
	returned := i.write(ctx, e, name, known)
	returned["read"] = err
	for verb, err := range returned {
		replaced, _ := errors.AsType[*engine.ReplacedError](err)
		if elsewhere, is := errors.AsType[*engine.ManagedElsewhereError](err); is && cluster != c.Env.Hub && elsewhere.Import == name.String() {
			replaced = &engine.ReplacedError{Known: elsewhere.Ours, Found: elsewhere.Theirs, Import: name, Cluster: elsewhere.Cluster}
		}
		if replaced == nil || replaced.Known != known || replaced.Found != theirs || replaced.Import != name || replaced.Cluster != cluster {
			c.Errorf("%s: %v", verb, err)
		}
	}
	for _, r := range c.requests()[before:] {
		if r.Write() {
			c.Errorf("the object of another user was written: %s", r)
		}
	}
	if found, err := i.read(ctx, e, name, ""); err != nil || found != theirs {
		c.Errorf("second import: %q, %v, want the UID %q", found, err, theirs)
	}
}

// put creates the object on the cluster and returns its UID. For a record, the UID is the identity in the record.
func (identity) put(c *Case, cluster, text string) (object *unstructured.Unstructured, uid string) {
	uid = engine.NewID()
	object = c.Put(cluster, strings.ReplaceAll(text, "$identity", uid))
	if !strings.Contains(text, "$identity") {
		uid = string(object.GetUID())
	}
	return object, uid
}
