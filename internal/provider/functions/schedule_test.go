package functions

import (
	"slices"
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
	if definition.Definition.VariadicParameter != nil {
		n := len(definition.Definition.Parameters)
		further := values[n:]
		values = append(values[:n:n], types.TupleValueMust(slices.Repeat([]attr.Type{types.StringType}, len(further)), further))
	}
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

// TestScheduleOfHCL checks that the function accepts the policy of a fleet_crp: in snake_case, with null for omitted values, and with unchanged
// labels.
func TestScheduleOfHCL(t *testing.T) {
	clusters := `[{"name": "a", "labels": {"my_region": "east"}, "resource_usage": {"capacity": {"cpu": "4"}}}, {"name": "b"}]`
	value, err := call(t, NewSchedule(), clusters, `{"placement_type": "PickAll", "number_of_clusters": null, "affinity": {"cluster_affinity": {
		"required_during_scheduling_ignored_during_execution": {"cluster_selector_terms": [{"label_selector": {"match_labels": {"my_region": "east"}}}]}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := value.(types.Object).Attributes()["selected"].String(); got != `["a"]` {
		t.Errorf("selected %s", got)
	}
}

func TestScheduleBadInput(t *testing.T) {
	for name, c := range map[string]struct{ clusters, policy, want string }{
		"invalid, as in HCL":     {`[]`, `{"placement_type": "PickN", "tolerations": null}`, "policy.number_of_clusters: it is required when placement_type is PickN"},
		"invalid, as in the API": {`[]`, `{"placementType": "PickN"}`, "policy.numberOfClusters: it is required when placementType is PickN"},
		"misspelt, as in HCL":    {`[]`, `{"placment_type": "PickAll"}`, `unknown field "placment_type"`},
		"a fraction":             {`[]`, `{"placement_type": "PickN", "number_of_clusters": 2.5}`, "2.5"},
		"no JSON":                {`[`, `{}`, "JSON"},
		"misspelt field":         {`[]`, `{"placmentType": "PickAll"}`, "placmentType"},
		"invalid policy":         {`[]`, `{"placementType": "PickN"}`, "numberOfClusters"},
		"the cluster twice":      {`[{"name": "a"}, {"name": "a"}]`, `{}`, "twice"},
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
		t.Error("no error for a text that is not YAML")
	}
	const text = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b}}"
	value, err = call(t, NewManifests(), text, "shop")
	if got := value.String(); err != nil || !strings.Contains(got, "namespace.a.yaml") || !strings.Contains(got, "secret.shop.b.yaml") || !strings.Contains(got, `namespace: shop`) {
		t.Errorf("%v %v", got, err)
	}
	for _, c := range []struct {
		namespaces []string
		want       string
	}{{[]string{"Shop"}, `"Shop" is not the name of a namespace`}, {[]string{""}, `"" is not`}, {[]string{"a", "b"}, "takes one namespace"}} {
		if _, err := call(t, NewManifests(), append([]string{text}, c.namespaces...)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.namespaces, err)
		}
	}
	// Both objects are the same with the namespace.
	if _, err := call(t, NewManifests(), "{apiVersion: v1, kind: Secret, metadata: {name: b}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: shop}}", "shop"); err == nil {
		t.Error("no error for an object with and without the namespace")
	}
}
