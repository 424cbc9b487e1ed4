package crds

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deviations are the accepted differences between our definitions and the published ones, with the reasons. A deviation that matches nothing is an error.
var deviations = []deviation{
	{version: "v1", path: ".envelope.type", what: "enum", why: envelopeTypes},
	{version: "v1", path: ".envelope.type", what: "default", why: envelopeTypes},
	{kind: "ResourceBinding", what: "kind", why: unpublished},
	{kind: "ResourceSnapshot", what: "kind", why: unpublished},
	{kind: "SchedulingPolicySnapshot", what: "kind", why: unpublished},
	{release: v031, path: ".propertySorter.sortOrder", what: "enum", why: newer},
	{release: v031, path: ".topologySpreadConstraints[].whenUnsatisfiable", what: "enum", why: newer},
	{release: v031, path: ".topologySpreadConstraints[].whenUnsatisfiable", what: "default", why: newer},
	{release: v031, path: ".rollingUpdate.unavailablePeriodSeconds", what: "minimum", why: newer},
	{release: v031, path: ".spec.policy", what: "x-kubernetes-validations", why: newer},
	{release: v031, path: ".spec.policy.tolerations", what: "x-kubernetes-validations", why: newer},
	{release: v031, path: ".spec.resourceSelectors", what: "x-kubernetes-validations", why: newer},
	{release: v031, version: "v1", kind: "ClusterResourcePlacement", path: ".spec", what: "x-kubernetes-validations", why: newer},
	{release: v031, version: "v1", kind: "ResourcePlacement", path: ".spec", what: "x-kubernetes-validations", why: newer},
	{release: v031, version: "v1", path: "esourceSelectors[].selectionScope", what: "enum", why: newer},
	{release: v031, path: ".waitTime", what: "pattern", why: newer},
}

const (
	v031               = "kubefleet-v0.3.1"
	kubeadmiralRelease = "kubeadmiral"

	envelopeTypes = "our status has the types of v1beta1, and a hub writes none of the values that only v1beta1 has"
	unpublished   = "the published data does not include this kind"
	newer         = "our definition is from a later commit; the provider validates the values, and older hubs only reject less"
)

// deviation is a part of a definition that may differ from the published one. An empty release, kind, version or path matches everything.
type deviation struct {
	release, kind, version string
	// path is the end of the part's path. what is the keyword of the schema.
	path, what string
	why        string
	seen       bool
}

func (d *deviation) fits(release, kind, version, path, what string) bool {
	is := (d.release == "" || d.release == release) && (d.kind == "" || d.kind == kind) && (d.version == "" || d.version == version) &&
		strings.HasSuffix(path, d.path) && d.what == what
	d.seen = d.seen || is
	return is
}

// Every field of our definitions is published with the same type, values, default and bounds.
func TestPublished(t *testing.T) {
	published := Published(t)
	ours, err := Definitions()
	if err != nil {
		t.Fatal(err)
	}
	generated := map[string][]*unstructured.Unstructured{}
	for release := range published {
		generated[release] = ours
	}
	if published[kubeadmiralRelease], err = Read(os.DirFS(Reference(t, "crds", kubeadmiralRelease))); err != nil {
		t.Fatal(err)
	}
	if generated[kubeadmiralRelease], err = KubeAdmiral(); err != nil {
		t.Fatal(err)
	}
	for release, theirs := range published {
		for _, definition := range generated[release] {
			kind := Kind(definition)
			i := slices.IndexFunc(theirs, func(u *unstructured.Unstructured) bool { return Kind(u) == kind })
			c := comparison{t: t, release: release, kind: kind.Kind}
			if i < 0 {
				c.add("", "kind", definition.GetName(), nil)
				continue
			}
			c.definition(definition, theirs[i])
		}
	}
	for _, d := range deviations {
		if !d.seen {
			t.Errorf("no definition has the deviation %+v", d)
		}
	}
}

type comparison struct {
	t                      *testing.T
	release, kind, version string
}

func (c comparison) add(path, what string, ours, theirs any) {
	for i := range deviations {
		if deviations[i].fits(c.release, c.kind, c.version, path, what) {
			return
		}
	}
	c.t.Errorf("%s %s %s%s, %s: our value is %v, the published one %v", c.release, c.kind, c.version, path, what, ours, theirs)
}

func (c comparison) definition(ours, theirs *unstructured.Unstructured) {
	for _, field := range []string{"names", "scope"} {
		mine, _, _ := unstructured.NestedFieldNoCopy(ours.Object, "spec", field)
		other, _, _ := unstructured.NestedFieldNoCopy(theirs.Object, "spec", field)
		if !reflect.DeepEqual(mine, other) {
			c.add("", field, mine, other)
		}
	}
	versions := map[string]Version{}
	for _, version := range Versions(theirs) {
		versions[version.Name] = version
	}
	for _, version := range Versions(ours) {
		c.version = version.Name
		other, found := versions[version.Name]
		if !found {
			c.add("", "version", version.Name, nil)
			continue
		}
		if version.Served != other.Served || version.Storage != other.Storage || !reflect.DeepEqual(version.Subresources, other.Subresources) {
			c.add("", "served, storage and subresources", version.Subresources, other.Subresources)
		}
		c.schema("", version.Schema, other.Schema)
	}
}

func (c comparison) schema(path string, ours, theirs map[string]any) {
	words := map[string]bool{}
	for _, schema := range []map[string]any{ours, theirs} {
		for word := range schema {
			words[word] = true
		}
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		mine, other := ours[word], theirs[word]
		switch word {
		case "description":
		case "properties":
			c.properties(path, mine, other)
		case "items", "additionalProperties":
			mine, _ := mine.(map[string]any)
			other, _ := other.(map[string]any)
			if mine == nil || other == nil {
				c.add(path, word, mine, other)
				continue
			}
			c.schema(path+"[]", mine, other)
		case "enum", "required":
			text := func(item any) string { return fmt.Sprint(item) }
			if !slices.Equal(sorted(mine, text), sorted(other, text)) {
				c.add(path, word, mine, other)
			}
		case "x-kubernetes-validations": // compare the messages, because the same rule can be written in many ways
			message := func(rule any) string {
				fields, _ := rule.(map[string]any)
				return fmt.Sprint(fields["message"])
			}
			if mine, other := sorted(mine, message), sorted(other, message); !slices.Equal(mine, other) {
				c.add(path, word, mine, other)
			}
		default:
			if !reflect.DeepEqual(mine, other) {
				c.add(path, word, mine, other)
			}
		}
	}
}

// properties compares the fields. The published definition may have additional ones.
func (c comparison) properties(path string, ours, theirs any) {
	mine, _ := ours.(map[string]any)
	other, _ := theirs.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		a, _ := mine[name].(map[string]any)
		b, found := other[name].(map[string]any)
		if !found {
			c.add(path+"."+name, "field", a, nil)
			continue
		}
		c.schema(path+"."+name, a, b)
	}
}

func sorted(list any, text func(any) string) []string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		out = append(out, text(item))
	}
	slices.Sort(out)
	return out
}
