package schedule

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestDocumentedInput schedules the example of the package's documentation.
func TestDocumentedInput(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(source), "the JSON form of [Input]:\n//\n")
	text, _, _ = strings.Cut(text, "\n//\n// The policy")
	decoder := json.NewDecoder(bytes.NewReader([]byte(strings.ReplaceAll(text, "//", ""))))
	decoder.DisallowUnknownFields()
	var in Input
	if err := decoder.Decode(&in); err != nil {
		t.Fatal(err)
	}
	out, err := Schedule(in)
	if got, want := render(out, err), "~west-1 Bound | +east-1 0/1 | no west-2: cluster has left the fleet | True 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	written, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"clusterName":"east-1","selected":true,"reason":"Successfully scheduled`, `"clusterScore":{"affinityScore":0,"priorityScore":1}`,
		`{"name":"web-west-1-0a1b2c3d","cluster":"west-1","state":"Bound",`, `"action":"Restamp"`, `"cluster":"east-1","state":"Scheduled"`,
		`"wanted":2,"found":2,"fulfilled":true,"reported":true,"reason":"SchedulingPolicyFulfilled"`,
	} {
		if !strings.Contains(string(written), part) {
			t.Errorf("%s is not in %s", part, written)
		}
	}
}
