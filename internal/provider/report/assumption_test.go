package report

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestAssumptionText(t *testing.T) {
	t.Parallel()
	taints := []member.Taint{{Key: "down", Value: "yes", Effect: placement.NoSchedule}, {Key: "a", Effect: placement.NoSchedule}}
	for want, a := range map[string]Assumption{
		"m is unreachable":         {Member: "m", State: engine.AssumeUnreachable},
		"m is gone from the fleet": {Member: "m", State: engine.AssumeGone},
		"m is new":                 {Member: "m", State: engine.AssumeNew},
		"m is new and has the taints a:NoSchedule, down=yes:NoSchedule": {Member: "m", State: engine.AssumeNew, Taints: taints},
		"m has the labels a=1, b=2 and no taints":                       {Member: "m", Labels: map[string]string{"b": "2", "a": "1"}, Taints: []member.Taint{}},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestMarkdownOfAssumptions checks that a report begins with its assumptions and with the clusters that are picked because of them.
func TestMarkdownOfAssumptions(t *testing.T) {
	t.Parallel()
	preview := func(picked ...string) *engine.Preview {
		out := &engine.Preview{Placement: "web", Fulfilled: true}
		for _, name := range picked {
			out.Clusters = append(out.Clusters, engine.ClusterPreview{Name: name, Picked: true, CheckMethod: engine.CheckDryRun})
		}
		return out
	}
	assumed := []Assumption{{Member: "a`|b", State: engine.AssumeGone}}
	for name, c := range map[string]struct {
		is, was *engine.Preview
		want    string
	}{
		"moves":         {preview("b", "c"), preview("a", "b"), "the placement also picks `c`, and no longer picks `a`."},
		"picks more":    {preview("b", "c"), preview("b"), "the placement also picks `c`."},
		"picks fewer":   {preview("b"), preview("b", "c"), "the placement no longer picks `c`."},
		"nothing moves": {preview("b"), preview("b"), "nothing moves."},
	} {
		text := Markdown(c.is, placement.ApplyStrategy{}, Additions{Assumed: assumed, Moves: NewMoves(c.is, c.was)})
		_, text, _ = strings.Cut(text, "\n\n")
		if !strings.HasPrefix(text, "> **Assumed**: <code>a&#96;&#124;b is gone from the fleet</code>. Nothing is changed") || !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in:\n%s", name, c.want, text)
		}
	}
	data, err := Data(preview("b", "c"), placement.ApplyStrategy{}, Additions{Assumed: assumed, Moves: NewMoves(preview("b", "c"), preview("b"))})
	if err != nil || !strings.Contains(data, "Assumed: ") || !strings.Contains(data, "also picks c") ||
		!strings.Contains(data, ` (assumed: a`+"`"+`|b is gone from the fleet)"`) {
		t.Errorf("the data of the page lacks the assumptions: %s, %v", data, err)
	}
	if text := Markdown(preview("b"), placement.ApplyStrategy{}, Additions{}); strings.Contains(text, "Assumed") {
		t.Errorf("without assumptions:\n%s", text)
	}
}
