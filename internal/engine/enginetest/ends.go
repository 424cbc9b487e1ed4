package enginetest

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Ends is the final status of a placement. A condition is written "Applied True ApplySucceeded".
type Ends struct {
	// Selected are the selected objects, as in "v1 Namespace $ns-web".
	Selected []string
	// Conditions are the placement's conditions, without their prefix.
	Conditions []string
	// Clusters are the picked clusters.
	Clusters map[string]ClusterEnds
}

// ClusterEnds is the final status of a cluster.
type ClusterEnds struct {
	Conditions []string
	// Failed are the failed objects with the reason, as in "v1 Namespace $ns-web: NotTakenOver". An object from an envelope also has "in ConfigMap $ns/it" after
	// the reason.
	Failed []string
	// Diffed and Drifted are objects with the differing paths, as in "v1 ConfigMap $ns-web/it: /data/a /data/b".
	Diffed, Drifted []string
}

// EndsOf returns a copy of an example's final status with KubeFleet. The test of an engine that deviates changes the copy.
func EndsOf(name string) Ends {
	i := slices.IndexFunc(examples, func(e example) bool { return e.name == name })
	out := examples[i].ends
	out.Clusters = maps.Clone(out.Clusters)
	return out
}

// checkStatus compares a status with the final status of the example.
func (e example) checkStatus(w *World, status placement.Status) {
	w.Helper()
	got := Ends{Conditions: conditions(status.Conditions, placement.ClusterResourcePlacementPrefix), Clusters: map[string]ClusterEnds{}}
	for _, object := range status.SelectedResources {
		got.Selected = append(got.Selected, identifier(object))
	}
	for name, cluster := range status.Clusters {
		if c, _ := cluster.Condition(placement.Scheduled); c.Status != placement.True {
			continue
		}
		ends := ClusterEnds{Conditions: conditions(cluster.Conditions, "")}
		for _, failed := range cluster.FailedPlacements {
			ends.Failed = append(ends.Failed, identifier(failed.Identifier)+": "+failed.Condition.Reason+enveloped(failed.Identifier))
		}
		for _, diffed := range cluster.DiffedPlacements {
			ends.Diffed = append(ends.Diffed, identifier(diffed.Identifier)+": "+strings.Join(pathsOf(diffed.ObservedDiffs), " "))
		}
		for _, drifted := range cluster.DriftedPlacements {
			ends.Drifted = append(ends.Drifted, identifier(drifted.Identifier)+": "+strings.Join(pathsOf(drifted.ObservedDrifts), " "))
		}
		got.Clusters[name] = ends
	}
	sorting := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if diff := cmp.Diff(e.ends.expanded(w), got, cmpopts.EquateEmpty(), sorting); diff != "" {
		w.Errorf("status (-want +got):\n%s\n%+v", diff, status)
	}
}

// expanded returns a copy with the world's names in the texts.
func (e Ends) expanded(w *World) Ends {
	texts := func(all []string) (out []string) {
		for _, text := range all {
			out = append(out, w.Expand(text))
		}
		return out
	}
	out := Ends{Selected: texts(e.Selected), Conditions: e.Conditions, Clusters: map[string]ClusterEnds{}}
	for name, c := range e.Clusters {
		out.Clusters[name] = ClusterEnds{c.Conditions, texts(c.Failed), texts(c.Diffed), texts(c.Drifted)}
	}
	return out
}

func conditions(all []placement.Condition, prefix string) (out []string) {
	for _, c := range all {
		out = append(out, strings.TrimPrefix(c.Type, prefix)+" "+c.Status+" "+c.Reason)
	}
	return out
}

func identifier(object manifest.Identifier) string {
	version, kind := object.GroupVersionKind().ToAPIVersionAndKind()
	name := object.Name
	if object.Namespace != "" {
		name = object.Namespace + "/" + name
	}
	return version + " " + kind + " " + name
}

func enveloped(object manifest.Identifier) string {
	if object.Envelope == nil {
		return ""
	}
	return " in " + object.Envelope.Type + " " + object.Envelope.Namespace + "/" + object.Envelope.Name
}
