package override

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
)

func drawValue(t *rapid.T, depth int) any {
	kinds := []string{"null", "text", "number", "map", "list"}
	if depth == 0 {
		kinds = kinds[:3]
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		return rapid.SampledFrom([]string{"", "a", "<b>"}).Draw(t, "text")
	case "number":
		return rapid.Int64Range(-9, 9).Draw(t, "number")
	case "map":
		result := map[string]any{}
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "0", "a/b", "~"}), 0, 4).Draw(t, "keys") {
			result[key] = drawValue(t, depth-1)
		}
		return result
	case "list":
		result := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			result = append(result, drawValue(t, depth-1))
		}
		return result
	}
	return nil
}

// TestPatchAgreesWithTheLibrary compares with the library of Kubernetes itself, the predecessor of the library used here and in KubeFleet. The
// one known difference: there, replace creates a missing field.
func TestPatchAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, err := json.Marshal(map[string]any{"a": drawValue(t, 3), "b": drawValue(t, 2)})
		if err != nil {
			t.Fatal(err)
		}
		p := Patch{Operation: rapid.SampledFrom([]Operation{Add, Remove, Replace}).Draw(t, "op")}
		for _, part := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "0", "1", "2", "-1", "-", "a~1b", "~0", "-4", "01"}), 1, 4).Draw(t, "path") {
			p.Path += "/" + part
		}
		if p.Operation != Remove {
			p.Value, _ = json.Marshal(drawValue(t, 1))
		}
		want, wantErr := byLibrary(t, p, before)
		after, err := p.apply(before, member1)
		switch {
		case err != nil && wantErr != nil:
			return
		case err != nil && p.Operation == Replace && strings.Contains(err.Error(), "does not exist"):
			return
		case err != nil || wantErr != nil:
			t.Fatalf("%s of %s: got %v, want %v", p.Path, before, err, wantErr)
		}
		var object map[string]any
		if err := utiljson.Unmarshal(after, &object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, object); diff != "" {
			t.Fatalf("%s %s of %s: %s", p.Operation, p.Path, before, diff)
		}
	})
}

func byLibrary(t *rapid.T, p Patch, before []byte) (map[string]any, error) {
	text, err := json.Marshal([]Patch{p})
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, utiljson.Unmarshal(after, &object)
}

// FuzzPatch checks that no path and no value causes a panic or changes the identity of the object. The result must be JSON, and no error may
// contain a value.
func FuzzPatch(f *testing.F) {
	for _, path := range []string{"/spec/replicas", "/spec/template/spec/containers/-", "/metadata/labels/a~1b", "/spec/template/spec/containers/-1/image", "/~", "//", "/metadata/labels"} {
		for _, value := range []string{"", "1", "null", `"${MEMBER-CLUSTER-NAME}"`, `{"${MEMBER-CLUSTER-LABEL-KEY-env}": ["${MEMBER-CLUSTER-LABEL-KEY-"]}`, "1e999", "{"} {
			f.Add("add", path, value)
			f.Add("replace", path, value)
			f.Add("remove", path, value)
		}
	}
	f.Fuzz(func(t *testing.T, op, path, value string) {
		p := Patch{Operation: Operation(op), Path: path, Value: json.RawMessage(value)}
		in := object(t, deployment)
		hash := in.Hash()
		result, err := Apply(in, member1, []Override{{Reference: Reference{Name: "o"}, Rules: []Rule{{ClusterSelector: &ClusterSelector{}, JSONPatchOverrides: []Patch{p}}}}})
		if in.Hash() != hash {
			t.Fatal("the object was changed")
		}
		problems := Validate(Spec{ResourceSelectors: []Selector{{"apps", "v1", "Deployment", "web"}}, Policy: &Policy{[]Rule{{JSONPatchOverrides: []Patch{p}}}}})
		if err != nil {
			return
		}
		if len(problems) > 0 && op != "remove" {
			t.Fatalf("applied a patch that Validate rejects: %v", problems)
		}
		content := result.Object.Content
		if content.GetName() != "web" || content.GetNamespace() != "web" || content.GroupVersionKind() != in.GroupVersionKind() {
			t.Fatalf("the identity became %v", content)
		}
		if _, err := content.DeepCopy().MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzExpand checks that the replacement terminates, does not change texts without variables, and that its errors contain only label keys.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"", "$", "${", nameVariable, labelVariable + "env}", labelVariable, labelVariable + nameVariable + "}", "${MEMBER-CLUSTER-" + nameVariable + "}"} {
		f.Add(text)
	}
	harmless := regexp.MustCompile(`^(label key [A-Za-z0-9./_-]+ not found on cluster "member-1"|` +
		`a variable \$\{MEMBER-CLUSTER-LABEL-KEY-\.\.\.(} in the value does not name a label key| in the value has no closing bracket }))$`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := expand(text, member1)
		if err != nil {
			if !harmless.MatchString(err.Error()) {
				t.Fatalf("%q: got %v", text, err)
			}
			return
		}
		if !strings.Contains(text, "${MEMBER-CLUSTER-") && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
