package report

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// maxNamed limits the clusters or placements that are named in one list.
const maxNamed = 8

// missedObjects are objects that an apply did not complete for one reason. Equal objects on several clusters share a line.
type missedObjects struct{ plain.Groups }

func (m *missedObjects) add(object engine.ObjectResult) {
	condition := object.Failure
	if condition == nil {
		condition = object.Waiting
	}
	why := ""
	if condition != nil {
		why = ": " + model.Name(condition.Reason) + ": " + model.About(object.Cluster, condition.Message)
	}
	if len(object.Missing) > 0 {
		why = ": " + model.DescribeAbsent(object.Missing)
	}
	m.Add(model.Title(object.Identifier)+"\n"+why, model.Name(object.Cluster))
}

func (m *missedObjects) section(title string, reserve int) *plain.Section {
	out := &plain.Section{Title: title, Unit: "object", Reserve: reserve}
	for _, text := range m.Texts {
		object, why, _ := strings.Cut(text, "\n")
		out.Add("  " + object + " on " + words.List(m.Names[text], maxNamed) + why)
	}
	return out
}

type missedKind int

const (
	notApplied missedKind = iota
	notAgreed
	notAvailable
	lacksObject
	notCompared
	notUpdated
	notTakenOver
)

func classifyMissed(object engine.ObjectResult) missedKind {
	switch {
	case object.Failure == nil && len(object.Missing) > 0:
		return lacksObject
	case object.Failure == nil:
		return notAvailable
	case object.Failure.Type == placement.DiffReported:
		return notCompared
	case object.Obstacle == takeover.ObstacleNotAgreed:
		return notAgreed
	case object.Action == takeover.ActionLeaveDrifted:
		return notUpdated
	case object.Action == takeover.ActionLeaveAlone:
		return notTakenOver
	default:
		return notApplied
	}
}

func (k missedKind) words() (title, number string) {
	switch k {
	case notApplied:
		return "Not applied:", "%d not applied"
	case notAgreed:
		return "Skipped; not shown in the plan:", "%d skipped, changed since the plan"
	case notAvailable:
		return "Not available yet:", "%d not available yet"
	case lacksObject:
		return "Not waited for; their Pods need a missing object:", "%d not available because of a missing object"
	case notCompared:
		return "Not compared:", "%d not compared"
	case notUpdated:
		return "Drifted and not updated:", "%d drifted and not updated"
	case notTakenOver:
		return "Not taken over:", "%d not taken over"
	}
	return "", ""
}
