package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

const (
	autoscalerAdvice = "The takeover resets what an autoscaler has set. To leave a field to the autoscaler, omit it from the placed object. " +
		"A hub that stores the object sets omitted replicas, so omit these only in an envelope, or in manifests of the engine \"direct\". On a KubeAdmiral host cluster, " +
		"the annotation kubeadmiral.io/retain-replicas: \"true\" keeps the replicas of a Deployment on each member."
	// overwriteAdvice is about objects of the placement in which others have set values. Only previews of the engine direct show these values.
	overwriteAdvice = "The apply overwrites the values that others have set. To keep one of these values, write it into the placed object. To leave a field of manifests " +
		"to others, name it in ignore_fields."
	missingAdvice = "A missing object is not on the cluster when the Pods start, and no placement that was planned before this one has it. Add the object to this " +
		"placement, or let this placement depend on the one that has it (depends_on)."
	retryAdvice = "The apply retries the clusters that were NOT CHECKED. On a cluster that responds, it creates objects and updates those that the placement " +
		"created. It takes over and deletes nothing there: a later plan shows takeovers and deletions."
	willDriftAdvice = `With comparison_option = "FullComparison" and when_to_apply = "IfNotDrifted", a field that the placed object does not have is a drift. ` +
		`The object is reported as not applied, and is updated again only when the placed object changes. Add the field to the placed object, remove it on the ` +
		`cluster, or use "PartialComparison".`
	driftedAdvice = "A drifted object keeps the values on the cluster until the placed object changes. To overwrite them with the next apply, set " +
		"strategy.apply_strategy.when_to_apply to \"Always\"."
)

// listAdvice returns [Report].Advice.
func listAdvice(preview *engine.Preview, counts Counts, options Options) [][]string {
	if len(preview.Selected) == 0 {
		return [][]string{{adviseOnSelectors(preview, counts)}}
	}
	rejectsImmutable := hasObject(preview, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionReject && isImmutable(o) })
	return slices.DeleteFunc([][]string{
		listTakeoverAdvice(preview, counts, options),
		adviceIf(resetsAutoscaler(preview), autoscalerAdvice),
		adviceIf(counts.Overwrites.N > 0, overwriteAdvice),
		adviceIf(rejectsImmutable, immutableAdvice),
		adviceIf(counts.Missing.N > 0, missingAdvice),
		listKindAdvice(preview),
		adviceIf(isHeld(preview), HeldAdvice(preview.Hub != nil, false)),
		adviceIf(counts.retried > 0, retryAdvice),
		adviceIf(counts.Drifts.N > 0, willDriftAdvice),
		adviceIf(counts.Of[takeover.ActionLeaveDrifted] > 0, driftedAdvice),
	}, func(pieces []string) bool { return len(pieces) == 0 })
}

func adviceIf(applies bool, text string) []string {
	if applies {
		return []string{text}
	}
	return nil
}

func adviseOnSelectors(preview *engine.Preview, counts Counts) string {
	const text = "None of the resource_selectors matches anything now. "
	if preview.Hub == nil {
		return text + "The apply returns an error and changes nothing, unless the same apply creates the objects first."
	}
	removed := ""
	if counts.Of[takeover.ActionPrune] > 0 {
		removed = " deletes what it placed before, and"
	}
	return text + "The apply still writes the placement: the hub" + removed + " places matching objects as soon as they exist."
}

func resetsAutoscaler(preview *engine.Preview) bool {
	return hasObject(preview, func(o engine.ObjectPreview) bool {
		return o.Action == takeover.ActionTakeOver && slices.ContainsFunc(o.Differences, func(d diff.Difference) bool { return d.HasHub && d.Autoscaled() })
	})
}

// HeldAdvice says what happens to an object whose deletion is blocked, and what to do about it. onHub means that a hub applies the placement. removing means
// that the placement is removed. Engines with a hub do not have the argument contents. A hub records the objects that it created until the placement is
// removed, so a later apply can delete an object whose deletion is blocked now.
func HeldAdvice(onHub, removing bool) string {
	const what = "A Namespace or CustomResourceDefinition whose deletion would delete other objects remains on the "
	switch {
	case onHub && !removing:
		return what + "hub and on all clusters, and remains in the placement. The next apply whose plan finds no such objects deletes it."
	case onHub:
		return what + "hub and on all clusters, and nothing deletes it later. To have it deleted, remove the other objects first."
	}
	return what + "cluster, and nothing deletes it later. To have it deleted, remove the other objects first, or " +
		"apply strategy.delete_strategy.contents = \"Delete\", which deletes it with everything in it."
}

func listKindAdvice(preview *engine.Preview) []string {
	if preview.Hub != nil {
		return nil
	}
	var kinds, out []string
	for _, lack := range preview.Lacks() {
		i := slices.IndexFunc(preview.Elsewhere, func(other engine.Lack) bool { return other.Kind == lack.Kind })
		if i < 0 {
			kinds = append(kinds, KindName(lack.Kind))
			continue
		}
		out = append(out, fmt.Sprintf("The placement %s provides %s on other clusters, but not on %s. Place the CustomResourceDefinition there as well.",
			strconv.Quote(Name(preview.Elsewhere[i].Placement)), KindName(lack.Kind), words.List(Names(lack.Clusters), MaxClusters)))
	}
	if len(kinds) > 0 {
		out = append(out, fmt.Sprintf("If another placement of the run provides %s, the apply waits for the kind and creates the objects. To have this plan "+
			"show that, add a depends_on with the other placement.", words.List(kinds, MaxFields)))
	}
	return adviceIf(len(out) > 0, strings.Join(out, " "))
}

func isHeld(preview *engine.Preview) bool {
	return hasObject(preview, func(o engine.ObjectPreview) bool {
		return o.Action == takeover.ActionOrphan && o.Obstacle == takeover.ObstacleContents
	})
}
