package diff

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// maintained are the labels and annotations that a write sets or keeps whatever the manifest has: the marks of the provider, and what kubectl, the controller of
// Deployments and, for Namespaces, the API server write.
var maintained = []string{
	LastAppliedAnnotation, applyset.PartOfLabel, "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", "kubernetes.io/metadata.name",
}

// ignoredDifferences compares the metadata that KubeFleet's comparison ignores and a write changes nevertheless: labels and annotations with keys of
// Kubernetes, such as pod-security.kubernetes.io/enforce, and finalizers. If removals is false, only entries of desired count. If removals is true, desired
// is the object after the write, and entries that only live has count as well.
func ignoredDifferences(desired, live *unstructured.Unstructured, removals bool) []Difference {
	source, _ := desired.Object["metadata"].(map[string]any)
	target, _ := live.Object["metadata"].(map[string]any)
	w := ignoredWalk{desired: desired, live: live}
	for _, field := range []string{"annotations", "labels"} {
		if equal(source[field], target[field]) {
			continue
		}
		hub, member := ignoredEntries(source[field]), ignoredEntries(target[field])
		for _, key := range unionKeys(hub, member) {
			inHub, hasHub := hub[key]
			inMember, hasMember := member[key]
			if (hasHub || removals) && (hasHub != hasMember || inHub != inMember) {
				w.noteIn(field, step{field: key}, inHub, hasHub, inMember, hasMember)
			}
		}
	}
	hub, member := finalizersOf(source), finalizersOf(target)
	for i, finalizer := range hub {
		if !slices.Contains(member, finalizer) {
			w.noteIn("finalizers", elementOfSet(len(member)+i, finalizer), finalizer, true, nil, false)
		}
	}
	for i, finalizer := range member {
		if removals && !slices.Contains(hub, finalizer) {
			w.noteIn("finalizers", elementOfSet(i, finalizer), nil, false, finalizer, true)
		}
	}
	return w.finish()
}

// ignoredWalk creates its walk when it records the first difference: most objects have none.
type ignoredWalk struct {
	desired, live *unstructured.Unstructured
	walk          *walk
}

func (w *ignoredWalk) noteIn(field string, s step, hub any, hasHub bool, member any, hasMember bool) {
	if w.walk == nil {
		created := newWalk(w.desired, w.live)
		w.walk = &created
	}
	w.walk.enter(step{field: "metadata"})
	w.walk.enter(step{field: field})
	w.walk.noteAt(s, hub, hasHub, member, hasMember)
	w.walk.leave()
	w.walk.leave()
}

func (w *ignoredWalk) finish() []Difference {
	if w.walk == nil {
		return nil
	}
	return w.walk.finish(w.live)
}

func elementOfSet(index int, value any) step {
	return step{inList: true, index: index, keys: []MergeKey{{}}, element: value}
}

// ignoredEntries returns the labels or annotations that KubeFleet's comparison ignores, without those in maintained and KubeFleet's own.
func ignoredEntries(value any) map[string]any {
	entries, _ := value.(map[string]any)
	var out map[string]any
	for key, entry := range entries {
		if !isIgnoredKey(key) || slices.Contains(maintained, key) || strings.Contains(key, kubefleetapi.Prefix) {
			continue
		}
		text, isText := entry.(string)
		if !isText && entry != nil {
			continue // the API server rejects it
		}
		if out == nil {
			out = map[string]any{}
		}
		out[key] = text
	}
	return out
}

func finalizersOf(metadata map[string]any) []any {
	out, _ := metadata["finalizers"].([]any)
	return out
}

// withIgnored adds the labels and annotations that KubeFleet's comparison ignores to a stripped object.
func withIgnored(stripped map[string]any, u *unstructured.Unstructured) map[string]any {
	source, _ := u.Object["metadata"].(map[string]any)
	metadata, _ := stripped["metadata"].(map[string]any)
	for _, field := range []string{"annotations", "labels"} {
		if ignored := ignoredEntries(source[field]); len(ignored) > 0 {
			kept, _ := metadata[field].(map[string]any) // Strip has created both maps
			maps.Copy(kept, ignored)
		}
	}
	return stripped
}
