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

// maxNamed is the number of clusters with the same problem that are named.
const maxNamed = 8

// missed are objects of one sort. Equal objects on several clusters share a line.
type missed struct{ plain.Groups }

func (m *missed) add(object engine.ObjectResult) {
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

// section has a line for each object.
func (m *missed) section(title string, reserve int) *plain.Section {
	out := &plain.Section{Title: title, Unit: "object", Reserve: reserve}
	for _, text := range m.Texts {
		object, why, _ := strings.Cut(text, "\n")
		out.Add("  " + object + " on " + words.List(m.Names[text], maxNamed) + why)
	}
	return out
}

// sort is what became of an object that is not as it is to be.
type sort int

const (
	failed sort = iota
	unagreed
	waiting
	lacking
	unreported
	drifted
	refused
)

// sortOf sorts an object.
func sortOf(object engine.ObjectResult) sort {
	switch {
	case object.Failure == nil && len(object.Missing) > 0:
		return lacking
	case object.Failure == nil:
		return waiting
	case object.Failure.Type == placement.DiffReported:
		return unreported
	case object.Obstacle == takeover.ObstacleNotAgreed:
		return unagreed
	case object.Action == takeover.ActionLeaveDrifted:
		return drifted
	case object.Action == takeover.ActionLeaveAlone:
		return refused
	default:
		return failed
	}
}

// words returns the title of a section about objects of a sort, and the format of their number.
func (s sort) words() (title, number string) {
	switch s {
	case failed:
		return "Not applied:", "%d not applied"
	case unagreed:
		return "Skipped, because the plan did not show it:", "%d skipped, changed since the plan"
	case waiting:
		return "Not available yet:", "%d not available yet"
	case lacking:
		return "Not waited for, because their Pods need an object that is missing:", "%d not available because of a missing object"
	case unreported:
		return "Not compared:", "%d not compared"
	case drifted:
		return "Drifted and not updated:", "%d drifted and not updated"
	case refused:
		return "Not taken over:", "%d not taken over"
	}
	return "", ""
}
