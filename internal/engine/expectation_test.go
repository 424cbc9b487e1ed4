package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
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
