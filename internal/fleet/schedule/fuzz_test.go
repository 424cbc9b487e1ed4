package schedule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

// FuzzProperty uses arbitrary names and values of properties in a selector and a sorter. The result must be a decision or an error that names
// the cluster, and a value must equal itself.
func FuzzProperty(f *testing.F) {
	for _, name := range []string{"x", "", "k8s.io/k8s-version", kubefleetapi.ResourcePrefix, kubefleetapi.ResourcePrefix + "total-cpu", kubefleetapi.ResourcePrefix + "total-a-b", kubefleetapi.ResourcePrefix + "-"} {
		for _, value := range []string{"1", "", "1.5Gi", "-0", "1e999", "v1.30", "0.055k", "9007199254740993", "1E", "1e-99999999", "999999999999999999999999n"} {
			f.Add(name, value, int32(100))
		}
	}
	f.Fuzz(func(t *testing.T, name, value string, weight int32) {
		clusters := []Cluster{
			{Name: "a", Properties: map[string]string{name: value}}, {Name: "b", Properties: map[string]string{name: "1"}}, {Name: "c"},
		}
		if rest, is := strings.CutPrefix(name, kubefleetapi.ResourcePrefix+"total-"); is {
			clusters[0].Usage.Capacity = map[string]string{rest: value}
		}
		equal, err := Schedule(Input{Policy: all(required(propertyTerm(name, "Eq", value))), Clusters: clusters[:1]})
		_, parseErr := quantity.Parse(value)
		present := !strings.HasPrefix(name, kubefleetapi.ResourcePrefix) || clusters[0].Usage.Capacity != nil
		if err == nil && parseErr == nil && present && len(equal.Selected()) != 1 {
			t.Errorf("%q is not equal to itself", value)
		}
		if err != nil && !strings.Contains(err.Error(), `cluster "a"`) {
			t.Errorf("the error does not name the cluster: %v", err)
		}
		for _, order := range []string{"Ascending", "Descending"} {
			out, err := Schedule(Input{Policy: pick(1, preferred(weight, sorted(name, order))), Clusters: clusters})
			if err == nil && len(out.Selected()) != 1 {
				t.Errorf("%s: %+v", order, out)
			}
		}
	})
}

// FuzzInput decodes whole inputs from JSON, and compares the result with that of the encoded and decoded input.
func FuzzInput(f *testing.F) {
	f.Add([]byte(`{"policy":{"placementType":"PickN","numberOfClusters":1,"topologySpreadConstraints":[{"topologyKey":"r"}]},
		"clusters":[{"name":"a","labels":{"r":"e"},"agent":{"offline":true}},{"name":"b"}],"bindings":[{"cluster":"b","state":"Bound","obsolete":true}]}`))
	f.Add([]byte(`{"clusters":[{"name":"a","ineligible":"x"},{"name":"b"}],"limits":{"decisions":-1,"unselected":-1}}`))
	f.Add([]byte(`{"policy":{"placementType":"PickFixed","clusterNames":["a"]},"bindings":[{"cluster":"a","state":"Unscheduled"}],"limits":{"decisions":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in Input
		if json.Unmarshal(data, &in) != nil {
			return
		}
		first, err := Schedule(in)
		text, marshalErr := json.Marshal(in)
		if marshalErr != nil {
			t.Skip(marshalErr)
		}
		var again Input
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		second, secondErr := Schedule(again)
		if (err == nil) != (secondErr == nil) {
			t.Fatalf("%v, %v", err, secondErr)
		}
		if diff := cmp.Diff(first.Decisions, second.Decisions); diff != "" {
			t.Error(diff)
		}
	})
}
