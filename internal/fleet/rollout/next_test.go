package rollout

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

var noon = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)

func settings(t interface{ Fatal(...any) }, unavailable, surge string, target int) Settings {
	s, err := ParseSettings(placement.RollingUpdate{MaxUnavailable: unavailable, MaxSurge: surge}, target)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBudget expects values that were computed with KubeFleet's own functions.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		unavailable, surge                  string
		target, ready, deleting, canBeReady int
		wantChange, wantAdd                 int
		reading                             string
	}{
		{"25%", "25%", 1, 1, 0, 1, 1, 1, "a single cluster updates immediately"},
		{"25%", "25%", 4, 4, 0, 4, 1, 1, "one at a time"},
		{"25%", "25%", 5, 5, 0, 5, 2, 2, "1.25 rounded up"},
		{"25%", "25%", 10, 10, 0, 10, 3, 3, "2.5 rounded up"},
		{"25%", "25%", 100, 0, 0, 0, -75, 125, "a first placement is bound in one round"},
		{"25%", "25%", 10, 5, 0, 5, -2, 8, "PickN 10 with only 5 clusters"},
		{"25%", "25%", 4, 2, 0, 2, -1, 3, "PickFixed with 2 of 4 missing"},
		{"0", "1", 3, 3, 0, 3, 0, 1, "in-place updates never run"},
		{"1", "0", 3, 3, 0, 3, 1, 0, "no surge"},
		{"25%", "25%", 2, 4, 0, 4, 3, -1, "scale-in from 4 to 2"},
		{"25%", "25%", 0, 2, 0, 2, 2, -2, "scale to 0, the ready ones go"},
		{"25%", "25%", 0, 0, 0, 2, 0, -2, "scale to 0, nothing ready"},
		{"1", "0", 5, 5, 1, 5, 0, 0, "a deletion in progress uses the budget"},
		{"100%", "0", 5, 3, 0, 3, 3, 2, "all at the same time"},
	} {
		s := settings(t, tt.unavailable, tt.surge, tt.target)
		change, add := s.maxToChange(tt.target, tt.ready-tt.deleting), s.maxToAdd(tt.target, tt.canBeReady)
		if change != tt.wantChange || add != tt.wantAdd {
			t.Errorf("%s: got %d and %d, want %d and %d", tt.reading, change, add, tt.wantChange, tt.wantAdd)
		}
	}
}

// fleet parses clusters from words such as "a:Update/Ready"; without a state they are Ready and trackable. "~30" makes a cluster untrackable
// and available for 30 seconds.
func fleet(text string) []Cluster {
	var clusters []Cluster
	for word := range strings.FieldsSeq(text) {
		word, ago, untrackable := strings.Cut(word, "~")
		name, rest, _ := strings.Cut(word, ":")
		change, state, found := strings.Cut(rest, "/")
		if !found {
			state = "Ready"
		}
		c := Cluster{Name: name, Change: Change(change), State: State(state), Trackable: !untrackable}
		if untrackable {
			seconds, err := time.ParseDuration(ago + "s")
			if err != nil {
				panic(err)
			}
			c.AvailableSince = noon.Add(-seconds)
		}
		clusters = append(clusters, c)
	}
	return clusters
}

// many returns clusters named by letters, all with the same change and state.
func many(letters, rest string) string {
	var words []string
	for _, letter := range letters {
		words = append(words, string(letter)+":"+rest)
	}
	return " " + strings.Join(words, " ") + " "
}

func TestNext(t *testing.T) {
	tests := map[string]struct {
		unavailable, surge string
		target             int
		clusters           string
		start, remove      string
		stuck, holding     string
		done               bool
	}{
		"a first placement is started as a whole": {"25%", "25%", 4, many("abcd", "Create"), "a b c d", "", "", "", false},
		"one of four":                  {"25%", "25%", 4, many("dcba", "Update"), "a", "", "", "", false},
		"two of five":                  {"25%", "25%", 5, many("abcde", "Update"), "a b", "", "", "", false},
		"three of ten":                 {"25%", "25%", 10, many("abcdefghij", "Update"), "a b c", "", "", "", false},
		"a single one":                 {"25%", "25%", 1, "a:Update", "a", "", "", "", false},
		"1% is one":                    {"1%", "0", 10, many("abcdefghij", "Update"), "a", "", "", "", false},
		"100%":                         {"100%", "0", 3, many("abc", "Update"), "a b c", "", "", "", false},
		"max_unavailable 0":            {"0", "1", 3, many("abc", "Update"), "", "", "a b c", "", false},
		"more than there are":          {"200", "0", 3, many("abc", "Update"), "a b c", "", "", "", false},
		"those on their way count":     {"2", "0", 4, "a:None/Applying" + many("bcd", "Update"), "b", "", "", "a", false},
		"not available counts":         {"1", "0", 4, "a:None/NotReady" + many("bcd", "Update"), "", "", "", "a", false},
		"a failing one stops it":       {"1", "0", 4, "a:None/Failing" + many("bcd", "Update"), "", "", "a", "a", false},
		"within the budget it goes on": {"2", "0", 4, "a:None/Failing" + many("bcd", "Update"), "b", "", "", "a", false},
		"a lost one stops it":          {"1", "0", 4, "a:Update/Unreachable" + many("bcd", "Update"), "", "", "a", "a", false},
		"a lost one at the end":        {"1", "0", 2, "a:Update/Unreachable b:None", "", "", "a", "a", false},
		"a lost one that is current":   {"1", "0", 2, "a:None/Unreachable b:None", "", "", "a", "a", false},
		"a lost one is not created":    {"1", "1", 2, "a:Create/Unreachable b:Create", "b", "", "", "a", false},
		"failed ones are free":         {"1", "0", 4, many("abcd", "Update/Failing"), "a b c d", "", "", "", false},
		"failed ones come first":       {"1", "0", 4, "a:Update b:Update/Failing c:None d:None", "b", "", "", "", false},

		"PickN 10 finds 5":             {"25%", "25%", 10, many("abcde", "Update"), "a b", "", "", "", false},
		"PickFixed misses 2 of 4":      {"25%", "25%", 4, many("ab", "Update"), "a", "", "", "", false},
		"after an outage, not all":     {"2", "0", 5, many("abcde", "Update/NotReady"), "a b", "", "", "c d e", false},
		"still applying, not all":      {"2", "0", 5, many("abcde", "Update/Applying"), "a b", "", "", "c d e", false},
		"the version that fixes it":    {"1", "0", 4, "a:Update/NotReady" + many("bcd", "Update"), "a", "", "", "", false},
		"a fix with max_unavailable 0": {"0", "0", 2, many("ab", "Update/NotReady"), "a", "", "", "b", false},
		"does not fix it":              {"1", "0", 3, "a:None/Failing" + many("bc", "Update/NotReady"), "", "", "a", "a b c", false},
		"an interrupted one goes on":   {"1", "0", 3, "a:None b:Update/Applying c:Update", "b", "", "", "", false},
		"an outage uses the budget":    {"2", "0", 5, "a:None/NotReady b:None/NotReady" + many("cde", "Update"), "", "", "", "a b", false},
		"working and broken ones":      {"3", "0", 10, "a:Update/NotReady" + many("bcdefghij", "Update"), "a b c", "", "", "", false},

		"removals before updates":          {"25%", "25%", 2, "a:Update b:Update c:Remove d:Remove", "a", "c d", "", "", false},
		"scale to 0":                       {"25%", "25%", 0, many("ab", "Remove"), "", "a b", "", "", false},
		"scale a broken one to 0":          {"25%", "25%", 0, "a:Remove/NotReady b:Remove/Failing", "", "a b", "", "", false},
		"removal of a broken one":          {"1", "0", 3, "a:None/Failing b:None c:None d:Remove/NotReady", "", "d", "", "a", false},
		"removal in progress":              {"1", "0", 5, "a:Remove/Removing" + many("bcdef", "Update"), "b", "", "", "a", false},
		"removal of a lost one":            {"1", "0", 1, "a:None b:Remove/Unreachable", "", "", "b", "b", false},
		"a move":                           {"25%", "25%", 4, many("abcd", "Create") + many("wxyz", "Remove"), "a", "w", "", "", false},
		"a move without surge":             {"1", "0", 2, many("ab", "Create") + many("yz", "Remove"), "", "y", "", "", false},
		"a move without surge, later":      {"1", "0", 2, "a:Create b:Create y:Remove/Removing z:Remove", "", "", "", "y", false},
		"a move without anything":          {"0", "0", 1, "a:Create z:Remove", "", "", "a z", "", false},
		"a place that a failed one had":    {"0", "0", 2, "a:Create b:None/Failing z:Remove", "a", "", "", "b", false},
		"a place that a broken one has":    {"0", "0", 2, "a:Create b:None/NotReady z:Remove", "", "", "", "b", false},
		"picked again during removal":      {"25%", "25%", 2, "a:Create/Removing b:Update", "", "", "", "a", false},
		"the others go on in the meantime": {"2", "1", 3, "a:Create/Removing b:Update c:Create", "c", "", "", "a", false},

		"untrackable, not proven":    {"1", "0", 3, "a:None~30 b:Update c:Update", "", "", "", "a", false},
		"untrackable, to the second": {"1", "0", 3, "a:None~60 b:Update c:Update", "", "", "", "a", false},
		"untrackable, proven":        {"1", "0", 3, "a:None~61 b:Update c:Update", "b", "", "", "", false},
		"untrackable, newer version": {"1", "0", 3, many("abc", "Update~30"), "", "", "", "a b c", false},
		"untrackable, at the end":    {"1", "0", 2, "a:None~1 b:None", "", "", "", "", true},
		"proving does not hide":      {"1", "0", 2, "a:None~1 b:None/Failing", "", "", "b", "a b", false},
		"reported differences":       {"1", "0", 2, "a:None/Reported b:Update/Reported", "b", "", "", "", false},

		"nothing":                {"1", "0", 0, "", "", "", "", "", true},
		"done":                   {"1", "0", 2, "a:None b:None", "", "", "", "", true},
		"current, not available": {"1", "0", 2, "a:None b:None/NotReady", "", "", "", "b", false},
		"current, failing":       {"1", "0", 2, "a:None b:None/Failing", "", "", "b", "b", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			step := Next(settings(t, tt.unavailable, tt.surge, tt.target), fleet(tt.clusters), noon)
			got := []string{strings.Join(step.Start, " "), strings.Join(step.Remove, " "), strings.Join(step.Stuck, " "), strings.Join(step.Holding, " "), fmt.Sprint(step.Done)}
			want := []string{tt.start, tt.remove, tt.stuck, tt.holding, fmt.Sprint(tt.done)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("start, remove, stuck, holding, done:\n%s\n%+v", diff, step)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	tests := map[string]struct {
		unavailable, surge string
		target             int
		clusters           string
		want               map[string]string
	}{
		"used up": {"25%", "0", 4, "a:None/NotReady b:Update c:Update d:None", map[string]string{
			"b": "max_unavailable 25% (1 of 4 clusters) is used up: a is not available",
			"c": "max_unavailable 25% (1 of 4 clusters) is used up: a is not available",
		}},
		"by those that start": {"1", "0", 2, "a:Update b:Update", map[string]string{
			"b": "max_unavailable 1 (1 of 2 clusters) is used up: a changes now",
		}},
		"by many": {"1", "0", 7, "a:None/Failing b:None/Applying c:None~5 d:None/NotReady e:Remove/Removing f:Update g:Update/Unreachable h:None", map[string]string{
			"e": "its objects are being deleted",
			"f": "max_unavailable 1 (1 of 7 clusters) is used up: a fails, b is still applying, c is available for less than unavailable_period_seconds, and 3 more",
			"g": "the cluster cannot be reached",
		}},
		"never": {"0", "0", 1, "a:Update", map[string]string{"a": "max_unavailable is 0, so no cluster can become unavailable"}},
		"no surge": {"1", "0", 1, "a:Create/Removing b:Create z:Remove", map[string]string{
			"a": "the objects that it had before are still being deleted",
			"b": "max_surge 0 allows at most 1 cluster with the placement, and 2 count already: a still has objects that are being deleted, z loses the placement now",
		}},
		"no surge, and a failing cluster": {"1", "0", 3, "w:Create x:None/Failing y:None z1:Remove z2:Remove", map[string]string{
			"w":  "max_surge 0 allows at most 3 clusters with the placement, and 3 count already: z1 loses the placement now",
			"z2": "max_unavailable 1 (1 of 3 clusters) is used up: w does not have the placement yet, x fails, z1 loses the placement now",
		}},
		"a surge that is used up": {"1", "1", 1, "a:Create b:Create c:Create", map[string]string{
			"c": "max_surge 1 allows at most 2 clusters with the placement, and 2 count already: a changes now, b changes now",
		}},
		"broken": {"1", "0", 2, "a:Update/NotReady b:Update/NotReady", map[string]string{
			"b": "it is not available, and with max_unavailable 1 at most 1 such clusters get the newest version at a time: a changes now",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			step := Next(settings(t, tt.unavailable, tt.surge, tt.target), fleet(tt.clusters), noon)
			if diff := cmp.Diff(tt.want, step.Waiting); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckAfter(t *testing.T) {
	for clusters, want := range map[string]time.Duration{
		"a:None b:None":                       0,
		"a:None b:Update":                     time.Second,
		"a:None/Applying b:Update":            time.Minute,
		"a:None~10 b:Update":                  50 * time.Second,
		"a:None~10 b:Update c:None~59 d:None": time.Second,
		"a:None~60 b:Update":                  time.Second,
		"a:Create":                            time.Second,
	} {
		if got := Next(settings(t, "25%", "25%", 2), fleet(clusters), noon).CheckAfter; got != want {
			t.Errorf("%s: got %s, want %s", clusters, got, want)
		}
	}
}
