package enginetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// snapshot returns the objects of a preview as they are on the member.
func (c *Case) snapshot(cluster engine.ClusterPreview) map[manifest.Key]*unstructured.Unstructured {
	c.Helper()
	out := map[manifest.Key]*unstructured.Unstructured{}
	for _, o := range cluster.Objects {
		out[o.Key()] = c.live(o)
	}
	return out
}

// live returns the current state on the member of a previewed object, nil if the object does not exist or has no name.
func (c *Case) live(o engine.ObjectPreview) *unstructured.Unstructured {
	c.Helper()
	if o.Name == "" {
		return nil
	}
	return c.FindRef(c.Member, refOf(o))
}

func refOf(o engine.ObjectPreview) fixture.Ref {
	version, kind := o.GroupVersionKind().ToAPIVersionAndKind()
	return fixture.Ref{APIVersion: version, Kind: kind, Namespace: o.Namespace, Name: o.Name}
}

// checkApplied checks that the apply did to every object what the preview predicted.
func (c *Case) checkApplied(
	predicted engine.ClusterPreview, before map[manifest.Key]*unstructured.Unstructured, wanted []*unstructured.Unstructured,
) {
	c.Helper()
	last := map[manifest.Key]int{}
	for i, o := range predicted.Objects {
		last[o.Key()] = i
	}
	for i, o := range predicted.Objects {
		if last[o.Key()] == i { // if two manifests describe one object, the status reports the last one
			c.checkReported(o)
		}
		was, is := before[o.Key()], c.live(o)
		switch outcomeOf(o.Action) {
		case outcomeWritten:
			c.checkPlaced(o, is, wanted)
		case outcomeRemoved:
			if is != nil {
				c.Errorf("%s still exists", o.Identifier)
			}
		case outcomeReleased:
			if is == nil || c.Fleet.Subject.Marked(is) {
				c.Errorf("%s was deleted or is still marked: %v", o.Identifier, is)
			}
		case outcomeUnchanged, outcomeRejected, outcomeReported:
			if c.version(was) != c.version(is) {
				c.Errorf("%s: predicted %s, but the object was written", o.Identifier, o.Action)
			}
		}
	}
}

// checkReported checks that the status reports an object as predicted.
func (c *Case) checkReported(o engine.ObjectPreview) {
	c.Helper()
	failure, failed := failureOf(c.Status, o.Key())
	switch outcomeOf(o.Action) {
	case outcomeWritten, outcomeUnchanged:
		if failed {
			c.Errorf("%s: predicted %s, but the status reports %s: %s", o.Identifier, o.Action, failure.Reason, failure.Message)
		}
	case outcomeRejected:
		reworded := c.Fleet.Subject.Rewords && (o.Obstacle == takeover.ObstacleAdmission || o.IsSecret() && strings.Contains(failure.Message, "withheld"))
		if failure.Type != placement.Applied || failure.Reason != o.Reason || failure.Message != o.Message && !reworded {
			c.Errorf("%s: predicted %s %q, got %+v", o.Identifier, o.Reason, o.Message, failure)
		}
	case outcomeReported:
		if failed != (o.Reason == takeover.ReasonFailedToReportDiff) || failed && (failure.Type != placement.DiffReported ||
			failure.Reason != o.Reason || failure.Message != o.Message) {
			c.Errorf("%s: predicted %s %q, got %+v", o.Identifier, o.Reason, o.Message, failure)
		}
	case outcomeRemoved, outcomeReleased:
	}
	if diff := cmp.Diff(o.ObservedDiffs, diffsOf(c.Status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s: diffs (-predicted +status):\n%s", o.Identifier, diff)
	}
	if diff := cmp.Diff(o.ObservedDrifts, driftsOf(c.Status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s: drifts (-predicted +status):\n%s", o.Identifier, diff)
	}
}

// checkFails checks that the object under test was not applied, for this reason.
func (c *Case) checkFails(predicted engine.ClusterPreview, reason string) {
	c.Helper()
	for _, o := range predicted.Objects {
		failure, _ := failureOf(c.Status, o.Key())
		if refOf(o) == c.target && failure.Reason != reason {
			c.Errorf("%s: %+v, want %s", o.Identifier, failure, reason)
		}
	}
}

// checkPlaced checks that an object is marked and has the placed content.
func (c *Case) checkPlaced(o engine.ObjectPreview, is *unstructured.Unstructured, all []*unstructured.Unstructured) {
	c.Helper()
	if is == nil {
		c.Errorf("%s does not exist", o.Identifier)
		return
	}
	if !c.Fleet.Subject.Marked(is) {
		c.Errorf("%s is not marked", o.Identifier)
	}
	for _, wanted := range all {
		if wanted.GetKind() != o.Kind || wanted.GetName() != o.Name {
			continue
		}
		if differences := diff.Partial(builtInKinds(), wanted, is).Differences; len(differences) > 0 {
			c.Errorf("%s differs from its manifest: %+v", o.Identifier, differences)
		}
	}
}

// builtInKinds reads the schemas once for all cases.
var builtInKinds = sync.OnceValue(objectschema.New)

// appliedAnnotation holds the manifest that KubeFleet's agents applied client-side. If it is missing, they add it to unchanged objects as well.
const appliedAnnotation = "kubernetes-fleet.io/last-applied-configuration"

// version returns a text that changes whenever a write changes the object. It ignores the mark that a MarksFirst engine writes separately.
func (c *Case) version(u *unstructured.Unstructured) string {
	if u == nil || !c.Fleet.Subject.MarksFirst {
		return version(u)
	}
	content := u.DeepCopy()
	content.SetOwnerReferences(nil)
	annotations := content.GetAnnotations()
	delete(annotations, appliedAnnotation)
	content.SetAnnotations(annotations)
	if _, has := content.Object["status"]; !has {
		content.Object["status"] = map[string]any{} // compare the content, not the resource version
	}
	return version(content)
}

// version returns a text that changes whenever a write changes the object. It ignores what the cluster's controllers write.
func version(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	if _, controlled := u.Object["status"]; !controlled {
		return string(u.GetUID()) + "@" + u.GetResourceVersion()
	}
	content := u.DeepCopy()
	delete(content.Object, "status")
	content.SetResourceVersion("")
	content.SetManagedFields(nil)
	annotations := content.GetAnnotations()
	delete(annotations, "deployment.kubernetes.io/revision")
	content.SetAnnotations(annotations)
	return fmt.Sprint(content.Object)
}

// failureOf returns the condition of an object that was not applied or not reported. An object that is not available yet is applied.
func failureOf(status placement.ClusterStatus, key manifest.Key) (placement.Condition, bool) {
	for _, failed := range status.FailedPlacements {
		if failed.Key() == key && failed.Condition.Type != placement.Available {
			return failed.Condition, true
		}
	}
	return placement.Condition{}, false
}

func diffsOf(status placement.ClusterStatus, key manifest.Key) []placement.PatchDetail {
	for _, diffed := range status.DiffedPlacements {
		if diffed.Key() == key {
			return diffed.ObservedDiffs
		}
	}
	return nil
}

func driftsOf(status placement.ClusterStatus, key manifest.Key) []placement.PatchDetail {
	for _, drifted := range status.DriftedPlacements {
		if drifted.Key() == key {
			return drifted.ObservedDrifts
		}
	}
	return nil
}
