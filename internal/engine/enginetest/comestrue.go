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

// snapshot is the objects of a preview as they are on the member.
func (c *Case) snapshot(cluster engine.ClusterPreview) map[manifest.Key]*unstructured.Unstructured {
	c.Helper()
	out := map[manifest.Key]*unstructured.Unstructured{}
	for _, o := range cluster.Objects {
		out[o.Key()] = c.live(o)
	}
	return out
}

// live is an object of a preview as it is.
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

// comesTrue holds what an apply has done to every object against what was foreseen.
func (c *Case) comesTrue(
	foreseen engine.ClusterPreview, before map[manifest.Key]*unstructured.Unstructured, wanted []*unstructured.Unstructured,
) {
	c.Helper()
	last := map[manifest.Key]int{}
	for i, o := range foreseen.Objects {
		last[o.Key()] = i
	}
	for i, o := range foreseen.Objects {
		if last[o.Key()] == i { // of two that are one object, the status tells what became of the last
			c.isReported(o)
		}
		was, is := before[o.Key()], c.live(o)
		switch outcomeOf(o.Action) {
		case written:
			c.isPlaced(o, is, wanted)
		case removed:
			if is != nil {
				c.Errorf("%s is there still", o.Identifier)
			}
		case released:
			if is == nil || c.Fleet.Subject.Marked(is) {
				c.Errorf("%s was not released: %v", o.Identifier, is)
			}
		case untouched, refusedOutcome, reportedOutcome:
			if c.version(was) != c.version(is) {
				c.Errorf("%s: foreseen was %s, and it was written", o.Identifier, o.Action)
			}
		}
	}
}

// isReported fails the test if the status does not say of an object what was foreseen.
func (c *Case) isReported(o engine.ObjectPreview) {
	c.Helper()
	failure, failed := failureOf(c.Status, o.Key())
	switch outcomeOf(o.Action) {
	case written, untouched:
		if failed {
			c.Errorf("%s: foreseen was %s, and it fails: %s: %s", o.Identifier, o.Action, failure.Reason, failure.Message)
		}
	case refusedOutcome:
		reworded := c.Fleet.Subject.Rewords && (o.Obstacle == takeover.ObstacleAdmission || o.IsSecret() && strings.Contains(failure.Message, "withheld"))
		if failure.Type != placement.Applied || failure.Reason != o.Reason || failure.Message != o.Message && !reworded {
			c.Errorf("%s: foreseen was %s %q, and it is %+v", o.Identifier, o.Reason, o.Message, failure)
		}
	case reportedOutcome:
		if failed != (o.Reason == takeover.ReasonFailedToReportDiff) || failed && (failure.Type != placement.DiffReported ||
			failure.Reason != o.Reason || failure.Message != o.Message) {
			c.Errorf("%s: foreseen was %s %q, and it is %+v", o.Identifier, o.Reason, o.Message, failure)
		}
	case removed, released:
	}
	if diff := cmp.Diff(o.ObservedDiffs, diffsOf(c.Status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s: diffs (-foreseen +status):\n%s", o.Identifier, diff)
	}
	if diff := cmp.Diff(o.ObservedDrifts, driftsOf(c.Status, o.Key()), cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s: drifts (-foreseen +status):\n%s", o.Identifier, diff)
	}
}

// fails wants the object that the case is about not to be applied, for a reason.
func (c *Case) fails(foreseen engine.ClusterPreview, reason string) {
	c.Helper()
	for _, o := range foreseen.Objects {
		failure, _ := failureOf(c.Status, o.Key())
		if refOf(o) == c.target && failure.Reason != reason {
			c.Errorf("%s: %+v, want %s", o.Identifier, failure, reason)
		}
	}
}

// isPlaced fails the test if an object is not as it is to be placed.
func (c *Case) isPlaced(o engine.ObjectPreview, is *unstructured.Unstructured, all []*unstructured.Unstructured) {
	c.Helper()
	if is == nil {
		c.Errorf("%s is not there", o.Identifier)
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
			c.Errorf("%s is not as it was placed: %+v", o.Identifier, differences)
		}
	}
}

// builtInKinds is read once for all cases.
var builtInKinds = sync.OnceValue(objectschema.New)

// appliedAnnotation is where KubeFleet's agents keep the manifest that they have applied client-side. They write it to unchanged objects as well if it is missing.
const appliedAnnotation = "kubernetes-fleet.io/last-applied-configuration"

// version changes when somebody writes an object, but for the mark of an engine that marks first.
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
		content.Object["status"] = map[string]any{} // what it is is compared, and not how often it was written
	}
	return version(content)
}

// version changes when somebody writes an object, but for what controllers of the cluster write to it by themselves.
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

// failureOf is why an object is not applied, or not reported. One that is not available yet is applied.
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
