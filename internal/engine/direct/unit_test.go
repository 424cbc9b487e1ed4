package direct

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

func TestApplySetID(t *testing.T) {
	t.Parallel()
	// KEP-3659: applyset-<base64url(sha256(<name>.<namespace>.<kind>.<group>))>-v1; the group of a ConfigMap is empty.
	for _, name := range []string{"web", strings.Repeat("n", 63)} {
		sum := sha256.Sum256([]byte("placement-" + name + ".fleet-system.ConfigMap."))
		want := "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
		got := applySetID(name)
		if got != want || !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])$`).MatchString(got) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func entryOf(kind, group, namespace, name string) Entry {
	return Entry{Identifier: manifest.Identifier{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name}}
}

func TestInventoryCodec(t *testing.T) {
	t.Parallel()
	in := &inventory{
		head: head{Name: strings.Repeat("n", 63), ClusterUID: "c", Generation: 3, ResourceIndex: 2, Applying: true, Picked: true, Reason: "r"},
		Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}},
		Objects: []Entry{
			entryOf("Deployment", "apps", "b", "web"), entryOf("ConfigMap", "", "a", "x"), entryOf("ConfigMap", "", Namespace, "y"),
			entryOf("Namespace", "", "", "a"),
		},
	}
	in.Objects[0].UID, in.Objects[0].Adopted = "u", true
	u, err := (&Engine{version: "1.2.3"}).inventoryConfigMap(in)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		applySetKindsAnnotation: "ConfigMap,Deployment.apps,Namespace", applySetNamespacesAnnotation: "a,b",
		applySetToolingAnnotation: "terraform-provider-fleet/1.2.3",
	} {
		if got := u.GetAnnotations()[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	out, err := decodeInventory(u)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range in.Objects {
		if got, found := out.entry(e.Key()); !found || !reflect.DeepEqual(got, e) {
			t.Errorf("%v came back as %v", e, got)
		}
	}
	if out.head != in.head || specHash(out.Spec) != specHash(in.Spec) {
		t.Errorf("got %+v", out)
	}
	renamed := u.DeepCopy()
	renamed.SetName("placement-other")
	if _, err := decodeInventory(renamed); err == nil {
		t.Error("an inventory under another name was read")
	}
	broken := u.DeepCopy()
	_ = unstructured.SetNestedField(broken.Object, "{", "data", objectsKey)
	if _, err := decodeInventory(broken); err == nil || !strings.Contains(err.Error(), objectsKey) {
		t.Errorf("a broken inventory: %v", err)
	}
}

func TestManifestsCodec(t *testing.T) {
	t.Parallel()
	in := map[string]string{"a.yaml": "kind: A", "b.yaml": "kind: B"}
	u, err := manifestsSecret("web", in)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := decodeManifests(u); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v, %v", out, err)
	}
	_ = unstructured.SetNestedField(u.Object, "c2VjcmV0", "data", manifestsKey)
	if _, err := decodeManifests(u); err == nil || strings.Contains(err.Error(), "secret\"") {
		t.Errorf("unreadable manifests: %v", err)
	}
}

func TestTextsHash(t *testing.T) {
	t.Parallel()
	if textsHash(nil) != "" || textsHash(map[string]string{"a": "{b: 1}"}) != textsHash(map[string]string{"a": "b:  1 # one\n"}) {
		t.Error("formatting counts")
	}
	if textsHash(map[string]string{"a": "{b: 1}"}) == textsHash(map[string]string{"a": "{b: 2}"}) {
		t.Error("content does not count")
	}
}

// live is an object as a cluster has it.
func live(uid, set string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetUID(types.UID(uid))
	if set != "" {
		setLabel(u, applySetPartOfLabel, set)
	}
	return u
}

// What an inventory announces of an object decides later whether it is deleted.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	ours := applySetID("p")
	desired := live("", ours)
	for name, test := range map[string]struct {
		item item
		want *Entry
	}{
		"created":              {item{}, &Entry{}},
		"created again":        {item{entry: Entry{UID: "old", Hash: "h", Adopted: true}, known: true}, &Entry{}},
		"taken over":           {item{live: live("u", "")}, &Entry{UID: "u", Adopted: true}},
		"created, not known":   {item{live: live("u", ours), known: true}, &Entry{}},
		"created, known":       {item{live: live("u", ours), known: true, entry: Entry{UID: "u", Hash: "h"}}, &Entry{UID: "u", Hash: "h"}},
		"adopted stays so":     {item{live: live("u", ours), known: true, entry: Entry{UID: "u", Adopted: true}}, &Entry{UID: "u", Adopted: true}},
		"made anew by others":  {item{live: live("v", ours), known: true, entry: Entry{UID: "u", Hash: "h"}}, &Entry{UID: "v", Hash: "h", Adopted: true}},
		"ours, no record":      {item{live: live("u", ours)}, &Entry{UID: "u", Adopted: true}},
		"refused, not ours":    {item{live: live("v", ""), known: true, entry: Entry{UID: "u", Hash: "h"}}, nil},
		"refused, ours":        {item{live: live("u", ours), known: true, entry: Entry{UID: "u", Hash: "h"}}, &Entry{UID: "u", Hash: "h"}},
		"refused, not seen":    {item{known: true, entry: Entry{UID: "u", Hash: "h"}, unseen: errors.New("x")}, &Entry{UID: "u", Hash: "h"}},
		"refused, never known": {item{unseen: errors.New("x")}, nil},
	} {
		i := test.item
		i.desired = desired
		switch {
		case strings.HasPrefix(name, "refused"):
			i.Action = engine.ActionRefuse
		case i.live == nil:
			i.Action = engine.ActionCreate
		case name == "taken over":
			i.Action = engine.ActionTakeOver
		default:
			i.Action = engine.ActionUpdate
		}
		if got := i.announced(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestLeftovers(t *testing.T) {
	t.Parallel()
	ours := applySetID("p")
	abandon := placement.Spec{Strategy: &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}}
	for name, test := range map[string]struct {
		item item
		spec placement.Spec
		want engine.Action
	}{
		"gone":                    {item{}, placement.Spec{}, engine.ActionNone},
		"not seen":                {item{unseen: errors.New("x")}, placement.Spec{}, engine.ActionUnknown},
		"created":                 {item{live: live("u", ours), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionDelete},
		"created, not confirmed":  {item{live: live("u", ours)}, placement.Spec{}, engine.ActionDelete},
		"created, mark taken off": {item{live: live("u", ""), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionDelete},
		"adopted":                 {item{live: live("u", ours), entry: Entry{UID: "u", Hash: "h", Adopted: true}}, placement.Spec{}, engine.ActionRelease},
		"announced, not adopted":  {item{live: live("u", ""), entry: Entry{UID: "u", Adopted: true}}, placement.Spec{}, engine.ActionNone},
		"made anew with mark":     {item{live: live("v", ours), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionRelease},
		"made anew without mark":  {item{live: live("v", ""), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionNone},
		"another set's by now":    {item{live: live("u", "other"), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionNone},
		"left the fleet":          {item{live: live("u", ours), entry: Entry{UID: "u", Hash: "h"}}, placement.Spec{}, engine.ActionRelease},
		"abandoned":               {item{live: live("u", ours), entry: Entry{UID: "u", Hash: "h"}}, abandon, engine.ActionRelease},
	} {
		i := test.item
		i.known = true
		i.decideLeftover(&plan{request: engine.PlacementRequest{Name: "p"}, spec: test.spec.Defaulted()}, name == "left the fleet")
		if i.Action != test.want {
			t.Errorf("%s: %s, want %s", name, i.Action, test.want)
		}
	}
}

func TestNextHead(t *testing.T) {
	t.Parallel()
	spec := placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}}
	known := &inventory{head: head{Generation: 4, ResourceIndex: 7, ContentHash: "same"}, Spec: spec}
	prior := func(generation, index int64) *placement.Status {
		return &placement.Status{ObservedResourceIndex: fmt.Sprint(index), Conditions: []placement.Condition{{ObservedGeneration: generation}}}
	}
	for name, test := range map[string]struct {
		request           engine.PlacementRequest
		hash              string
		known             *inventory
		generation, index int64
	}{
		"new":                    {engine.PlacementRequest{Spec: spec}, "same", nil, 1, 0},
		"nothing changed":        {engine.PlacementRequest{Spec: spec}, "same", known, 4, 7},
		"content changed":        {engine.PlacementRequest{Spec: spec}, "other", known, 4, 8},
		"spec changed":           {engine.PlacementRequest{}, "same", known, 5, 7},
		"newest does not answer": {engine.PlacementRequest{Spec: spec, Prior: prior(6, 9)}, "same", known, 6, 9},
		"older status":           {engine.PlacementRequest{Spec: spec, Prior: prior(3, 2)}, "same", known, 4, 7},
	} {
		got := nextHead(test.request, &content{hash: test.hash}, test.known, saidBy(test.request))
		if got.Generation != test.generation || got.ResourceIndex != test.index {
			t.Errorf("%s: generation %d, index %d", name, got.Generation, got.ResourceIndex)
		}
	}
	older := &view{name: "a", inventory: &inventory{head: head{Generation: 3}, Spec: spec}}
	same := &view{name: "b", inventory: known}
	other := &view{name: "a", inventory: &inventory{head: head{Generation: 4, ResourceIndex: 7}}}
	for _, views := range [][]*view{{older, same}, {other, same}, {same, other}} {
		if _, from := newest(views, saidBy(engine.PlacementRequest{Spec: spec})); from != same {
			t.Errorf("the newest is %+v", from)
		}
	}
}

// What a cluster is like just now may change the words of a decision; that is nothing to write.
func TestResume(t *testing.T) {
	t.Parallel()
	request := engine.PlacementRequest{Name: "p", Prior: &placement.Status{}}
	p := &plan{request: request, generated: head{Name: "p", Generation: 1}}
	base := func() *clusterPlan {
		c := &clusterPlan{view: &view{name: "a", uid: "u"}, decision: schedule.Decision{Selected: true, Reason: "score 1"}}
		c.inventory = &inventory{head: c.head(p)}
		return c
	}
	for name, test := range map[string]struct {
		change func(*clusterPlan)
		want   bool
	}{
		"done":            {func(*clusterPlan) {}, false},
		"other words":     {func(c *clusterPlan) { c.decision.Reason = "score 2" }, false},
		"interrupted":     {func(c *clusterPlan) { c.inventory.Applying = true }, true},
		"no longer here":  {func(c *clusterPlan) { c.decision.Selected = false }, true},
		"never begun":     {func(c *clusterPlan) { c.inventory = nil }, true},
		"older":           {func(c *clusterPlan) { c.inventory.Generation = 0 }, true},
		"other cluster":   {func(c *clusterPlan) { c.uid = "v" }, true},
		"nothing and not": {func(c *clusterPlan) { c.inventory, c.decision.Selected = nil, false }, false},
	} {
		c := base()
		test.change(c)
		if c.resume(p) != test.want {
			t.Errorf("%s: %v", name, !test.want)
		}
	}
}

func TestTenant(t *testing.T) {
	t.Parallel()
	namespace := &item{live: live("u", "")}
	namespace.Identifier = manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "web"}
	inside := &item{live: live("u", "")}
	inside.Identifier = entryOf("ConfigMap", "", "web", "x").Identifier
	empty := func() *clusterPlan { return &clusterPlan{view: &view{neighbours: &neighbours{}}} }

	wanted, released, deleted, shared := empty(), empty(), empty(), empty()
	wanted.items = []*item{inside}
	keep, drop := *inside, *inside
	keep.Action, drop.Action = engine.ActionRelease, engine.ActionDelete
	released.leftovers, deleted.leftovers = []*item{&keep}, []*item{&drop}
	record, err := (&Engine{}).inventoryConfigMap(&inventory{head: head{Name: "other"}, Objects: []Entry{entryOf("ConfigMap", "", "web", "y")}})
	if err != nil {
		t.Fatal(err)
	}
	shared.neighbours.replace([]*unstructured.Unstructured{record}, "p")
	for name, test := range map[string]struct {
		cluster *clusterPlan
		stays   bool
	}{"empty": {empty(), false}, "wanted": {wanted, true}, "released": {released, true}, "deleted": {deleted, false}, "shared": {shared, true}} {
		if got := test.cluster.tenant(namespace); (got != "") != test.stays {
			t.Errorf("%s: %q", name, got)
		}
	}
	if shared.neighbours.owner(applySetID("other")) != "other" || shared.neighbours.owner("x") != "" {
		t.Error("the neighbour is not known by its set")
	}
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	going := live("u", "")
	now := metav1.Now()
	going.SetDeletionTimestamp(&now)
	going.SetFinalizers([]string{"example.org/wait"})
	if text := (&item{live: going}).deletion(); !strings.Contains(text, "being deleted") || !strings.Contains(text, "example.org/wait") {
		t.Error(text)
	}
	if text := (&item{live: live("u", "")}).deletion(); text != "" {
		t.Error(text)
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	p := &plan{request: engine.PlacementRequest{Name: "p"}}
	c := &clusterPlan{view: &view{name: "a", uid: "u", neighbours: &neighbours{}}, decision: schedule.Decision{Selected: true}}
	p.clusters = []*clusterPlan{c}
	for n := range 5000 {
		i := &item{desired: live("", "x")}
		i.Identifier, i.Action = entryOf("ConfigMap", "", "default", fmt.Sprint("object-", n)).Identifier, engine.ActionCreate
		c.items = append(c.items, i)
	}
	e := &Engine{}
	var tooLarge *TooLargeError
	if err := e.fits(p); !errors.As(err, &tooLarge) || tooLarge.Cluster != "a" || tooLarge.Objects != 5000 {
		t.Errorf("%v", err)
	}
	c.items = c.items[:1000]
	if err := e.fits(p); err != nil {
		t.Error(err)
	}
}
