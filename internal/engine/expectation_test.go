package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func TestExpectation(t *testing.T) {
	id := func(name string) manifest.Identifier {
		return manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
	}
	replicas := []diff.Difference{{Path: "/spec/replicas", InHub: int64(3), HasHub: true, InMember: int64(2), HasMember: true}}
	more := []diff.Difference{{Path: "/spec/replicas", InHub: int64(3), HasHub: true, InMember: int64(4), HasMember: true}}
	preview := &Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Objects: []ObjectPreview{
			{Identifier: id("absent"), Mark: MarkAbsent},
			{Identifier: id("equal"), Mark: Mark(nil)},
			{Identifier: id("different"), Mark: Mark(replicas)},
			{Identifier: id("ours"), Owned: true},
		}},
		{Name: "member-2", Err: errors.New("it does not answer")},
	}}
	fresh := Expect(preview)
	agreed, err := ParseExpectation(fresh.String())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		cluster, object, mark string
		want, wantAgreed      string
	}{
		"equal still":                {"member-1", "equal", Mark(nil), "", ""},
		"equal no longer":            {"member-1", "equal", Mark(replicas), "no longer", "no longer"},
		"different as it was":        {"member-1", "different", Mark(replicas), "", ""},
		"different in another way":   {"member-1", "different", Mark(more), "has changed", "has changed"},
		"appeared":                   {"member-1", "absent", Mark(nil), "has appeared", "has appeared"},
		"ours then":                  {"member-1", "ours", Mark(nil), "did not show", "did not show"},
		"not selected then":          {"member-1", "other", Mark(nil), "did not show", "did not show"},
		"cluster was not looked at":  {"member-2", "equal", Mark(nil), "", "did not show"},
		"cluster was not configured": {"member-3", "equal", Mark(nil), "", "did not show"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for expected, want := range map[*Expectation]string{fresh: tt.want, agreed: tt.wantAgreed, nil: ""} {
				got := expected.Contradicts(tt.cluster, id(tt.object).Key(), tt.mark)
				if (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	if again := Expect(preview).String(); again != fresh.String() {
		t.Errorf("two digests of one preview: %s and %s", fresh, again)
	}
}

func TestParseExpectationOfOtherText(t *testing.T) {
	for _, text := range []string{"", "v1.", "v1.!", "v1.aGVsbG8", "v2.H4sI", "member-1"} {
		if _, err := ParseExpectation(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// An expectation tells which objects may be deleted: those that a preview has shown as deleted, or could not look at.
func TestExpectationOfDeletions(t *testing.T) {
	id := func(name string) manifest.Identifier {
		return manifest.Identifier{Version: "v1", Kind: "ConfigMap", Name: name}
	}
	fresh := Expect(&Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Objects: []ObjectPreview{
			{Identifier: id("shown"), Action: takeover.ActionPrune},
			{Identifier: id("unseen"), Action: takeover.ActionUnknown},
			{Identifier: id("left"), Action: takeover.ActionOrphan},
			{Identifier: id("deferred"), Action: takeover.ActionDefer},
			{Identifier: id("placed"), Action: takeover.ActionUpdate, Mark: Mark(nil)},
		}},
		{Name: "member-2", Err: errors.New("it does not answer")},
	}})
	agreed, err := ParseExpectation(fresh.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []*Expectation{fresh, agreed} {
		for name, want := range map[string]bool{"shown": true, "unseen": true, "left": false, "deferred": false, "placed": false, "unknown": false} {
			if got := expected.Deletes("member-1", id(name).Key()); got != want {
				t.Errorf("%s may be deleted: %v", name, got)
			}
		}
		if expected.Deletes("member-2", id("shown").Key()) {
			t.Error("an object may be deleted on a cluster that was not looked at")
		}
	}
	var none *Expectation
	if !none.Deletes("member-1", id("unknown").Key()) {
		t.Error("nothing may be deleted where nothing is expected")
	}
}

func TestParseExpectationOfOlderVersion(t *testing.T) {
	_, err := ParseExpectation("v1.H4sIAAAAAAAA_6quBQQAAP__Q7-mowIAAAA")
	if err == nil || !strings.Contains(err.Error(), "older version of the provider") || !strings.Contains(err.Error(), "make the preview again") {
		t.Error(err)
	}
}
