package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// maxNamed is how many clusters are named of which the same trouble is told.
const maxNamed = 8

// missed are objects of one sort. Those of which the same is to be told stand together, with the names of their clusters.
type missed struct {
	order []told
	on    map[told][]string
}

// told is what is told of an object.
type told struct{ object, why string }

func (m *missed) add(object engine.ObjectResult) {
	text := plain(object.Identifier.String(), maxName)
	if e := object.Envelope; e != nil {
		text += " from envelope " + plain(envelopeName(e), maxName)
	}
	condition := object.Failure
	if condition == nil {
		condition = object.Waiting
	}
	why := ""
	if condition != nil {
		why = ": " + plain(condition.Reason, maxName) + ": " + plain(impersonal(condition.Message, object.Cluster), maxMessage)
	}
	if len(object.Missing) > 0 {
		why = ": " + lacks(object.Missing)
	}
	key := told{object: text, why: why}
	if m.on == nil {
		m.on = map[told][]string{}
	}
	if m.on[key] == nil {
		m.order = append(m.order, key)
	}
	m.on[key] = append(m.on[key], plain(object.Cluster, maxName))
}

// titled writes them, one object to a line.
func (m *missed) titled(title string, reserve int) *section {
	out := &section{title: title, what: "object", reserve: reserve}
	for _, key := range m.order {
		out.add("  " + key.object + " on " + words.List(m.on[key], maxNamed) + key.why)
	}
	return out
}

func (m *missed) section(kind sort) *section { return m.titled(kind.title(), 4) }

// title stands above the objects of a sort.
func (s sort) title() string {
	switch s {
	case failed:
		return "Not applied:"
	case unagreed:
		return "Skipped, because the plan did not show it:"
	case waiting:
		return "Not available yet:"
	case lacking:
		return "Not waited for, because their Pods need an object that is missing:"
	case unreported:
		return "Not compared:"
	case drifted:
		return "Drifted and not updated:"
	case refused:
		return "Not taken over:"
	}
	return ""
}

// count is the format of how many there are of a sort.
func (s sort) count() string {
	switch s {
	case failed:
		return "%d not applied"
	case unagreed:
		return "%d skipped, changed since the plan"
	case refused:
		return "%d not taken over"
	case waiting:
		return "%d not available yet"
	case lacking:
		return "%d not available because of a missing object"
	case unreported:
		return "%d not compared"
	case drifted:
		return "%d drifted and not updated"
	}
	return ""
}
