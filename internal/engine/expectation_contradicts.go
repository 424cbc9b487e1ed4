package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Contradicts returns why an object that the placement does not own must not be taken over: the plan did not show the takeover, or showed it
// for another state of the object. It returns "" if the plan showed it, and without an expectation.
func (e *Expectation) Contradicts(cluster string, object manifest.Key, mark string) string {
	return e.contradicts(actTakeOver, cluster, object, mark)
}

// ContradictsGiven is like [Expectation.Contradicts], for an object that another placement hands over.
func (e *Expectation) ContradictsGiven(cluster string, object manifest.Key, mark string) string {
	return e.contradicts(actTakeFrom, cluster, object, mark)
}

func (e *Expectation) contradicts(how act, cluster string, object manifest.Key, mark string) string {
	if e == nil {
		return ""
	}
	if problem := e.also.contradicts(how, cluster, object, mark); problem != "" {
		return problem
	}
	planned, checked := e.entry(cluster, object)
	switch {
	case !checked:
		return "the plan did not check the cluster, so it did not show the takeover"
	case planned.act == actTakeOver && how == actTakeFrom, planned.act == actTakeFrom && how == actTakeOver:
		return "the plan showed another owner of the object than it has now"
	case planned.act != how:
		return "the plan did not show the takeover: the object has appeared since, or was not going to be taken over"
	case e.isMark(planned.mark, mark):
		return ""
	case strings.HasPrefix(planned.mark, markEqual):
		return "the object was equal to its manifest when the plan was made, and has changed or been replaced since"
	default:
		return "the object has changed or been replaced since the plan was made"
	}
}

// ContradictsUpdate returns why an object that the placement owns must not be updated: the plan checked the cluster and did not show an update of these fields.
// It returns "" if the plan showed the update, without an expectation, if a hub applies the placement, and for a cluster that the plan reports as not checked.
// It also returns "" if mark is the mark of an object without differences and the plan showed any action for the object.
func (e *Expectation) ContradictsUpdate(cluster string, object manifest.Key, mark string) string {
	if e == nil {
		return ""
	}
	if problem := e.also.ContradictsUpdate(cluster, object, mark); problem != "" {
		return problem
	}
	planned, checked := e.entry(cluster, object)
	switch {
	case !checked, !e.digest.Updates, planned.act == actUpdate && e.isMark(planned.mark, mark):
		return ""
	case mark == markEqual && planned.act != actNone: // the response to a write of this apply was lost, or others have made the same change
		return ""
	case planned.act != actUpdate:
		return "the plan did not show an update of the object: it has changed since, or the credentials of the plan could not find the difference"
	default:
		return "the object has changed since the plan was made: other fields differ from the manifest, or others have set other values"
	}
}

// ContradictsDeletion returns why an object that the placement owns must not be deleted: the plan did not show the deletion, or the Namespace
// or definition now contains other objects than the plan showed. It returns "" if the plan showed the deletion, and without an expectation.
func (e *Expectation) ContradictsDeletion(cluster string, object manifest.Key, contents *Contents) string {
	if e == nil {
		return ""
	}
	if problem := e.also.ContradictsDeletion(cluster, object, contents); problem != "" {
		return problem
	}
	planned, checked := e.entry(cluster, object)
	switch {
	case !checked:
		return "the plan did not check the cluster, so it did not show the deletion"
	case planned.act != actDelete:
		return "the plan did not show the deletion"
	case contents.Mark() != "" && planned.mark != contents.Mark():
		return "the objects that the deletion would also delete have changed since the plan was made: " + contents.Names()
	}
	return ""
}

// ContradictsRename returns why the placement must not be renamed on a cluster: the plan checked the cluster, and did not show one of the names in from, which
// the placement has there. It returns "" if the plan showed all of them, without an expectation, and for a cluster that the plan reports as not checked.
func (e *Expectation) ContradictsRename(cluster string, from []string) string {
	if e == nil {
		return ""
	}
	_, checked := e.digest.Clusters[cluster]
	for _, name := range from {
		if checked && !slices.Contains(e.digest.Renamed[cluster], name) {
			return fmt.Sprintf("the placement has the name %q there, and the plan did not show that it is renamed", name)
		}
	}
	return e.also.ContradictsRename(cluster, from)
}

// ContradictsReplacement returns why an object must not be deleted and recreated: the plan did not show it. It returns "" if the plan showed
// it, and without an expectation.
func (e *Expectation) ContradictsReplacement(cluster string, object manifest.Key) string {
	if e == nil {
		return ""
	}
	if planned, _ := e.entry(cluster, object); planned.act != actReplace {
		return "the plan did not show that the object is deleted and recreated"
	}
	return e.also.ContradictsReplacement(cluster, object)
}

// ContradictsPick returns why an apply must not place objects on a cluster: the plan did not show the cluster as picked. It returns "" if the plan did, without
// an expectation, and if the plan could not determine the picked clusters.
func (e *Expectation) ContradictsPick(cluster string) string {
	switch {
	case e == nil:
		return ""
	case e.digest.Picked == nil, slices.Contains(e.digest.Picked, cluster):
		return e.also.ContradictsPick(cluster)
	}
	return "the placement picks the cluster now, and the plan did not show it as picked"
}

// contradictsCluster returns why an engine that cannot stop a hub must not write. One reason is that something is pending on the cluster, and the plan showed
// another decision about picking the cluster. The other reason is that the plan checked the cluster, it cannot be checked now, and something is pending there
// or the plan showed an action there. It returns "" otherwise.
func (e *Expectation) contradictsCluster(now ClusterPreview) string {
	if e == nil {
		return ""
	}
	entries, checked := e.digest.Clusters[now.Name]
	isPending := now.Resume || slices.ContainsFunc(now.Objects, func(o ObjectPreview) bool {
		return o.Action.Writes() && o.Action != takeover.ActionUpdate // agents send updates regardless of a plan
	})
	switch problem := e.ContradictsPick(now.Name); {
	case checked && now.Err != nil && (isPending || len(entries) > 0):
		return "the plan checked the cluster, and now it cannot be checked: " + now.Err.Error()
	case isPending && now.Picked && problem != "":
		return problem
	case isPending && !now.Picked && slices.Contains(e.digest.Picked, now.Name):
		return "the placement does not pick the cluster now, and the plan showed it as picked"
	}
	return e.also.contradictsCluster(now)
}
