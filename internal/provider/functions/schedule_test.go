package functions

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func call(t *testing.T, f function.Function, arguments ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	values := make([]attr.Value, len(arguments))
	for i, argument := range arguments {
		values[i] = types.StringValue(argument)
	}
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, err := definition.Definition.Return.NewResultData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	response := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(values)}, &response)
	return response.Result.Value(), response.Error
}

func TestSchedule(t *testing.T) {
	clusters := `[{"name": "a", "labels": {"region": "east"}}, {"name": "b", "labels": {"region": "west"}},
		{"name": "c", "labels": {"region": "west"}, "taints": [{"key": "k", "effect": "NoSchedule"}]}]`
	value, err := call(t, NewSchedule(), clusters, `{"placementType": "PickN", "numberOfClusters": 2,
		"topologySpreadConstraints": [{"topologyKey": "region"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	object, ok := value.(types.Object)
	if !ok {
		t.Fatalf("the result is %T", value)
	}
	if got := object.Attributes()["selected"].String(); !strings.Contains(got, `"a"`) || !strings.Contains(got, `"b"`) || strings.Contains(got, `"c"`) {
		t.Errorf("selected %s", got)
	}
	if got := object.Attributes()["decisions"].String(); !strings.Contains(got, "cannot be tolerated") {
		t.Errorf("the decisions have no reason for c: %s", got)
	}
}

func TestScheduleBadInput(t *testing.T) {
	for name, c := range map[string]struct{ clusters, policy, want string }{
		"no JSON":           {`[`, `{}`, "JSON"},
		"misspelt field":    {`[]`, `{"placmentType": "PickAll"}`, "placmentType"},
		"invalid policy":    {`[]`, `{"placementType": "PickN"}`, "number_of_clusters"},
		"the cluster twice": {`[{"name": "a"}, {"name": "a"}]`, `{}`, "twice"},
	} {
		if _, err := call(t, NewSchedule(), c.clusters, c.policy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManifests(t *testing.T) {
	value, err := call(t, NewManifests(), "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: a}}")
	if err != nil || !strings.Contains(value.String(), "secret.a.b.yaml") {
		t.Errorf("%v %v", value, err)
	}
	if _, err := call(t, NewManifests(), "kind: ["); err == nil {
		t.Error("no error for text that is no YAML")
	}
}
