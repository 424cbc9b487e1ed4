package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestWithoutUnusedParts(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing": {`{}`, `{}`},
		"PickAll": {
			`policy: {clusterNames: [], topologySpreadConstraints: [], tolerations: [], affinity: {}}`,
			`policy: {tolerations: [], affinity: {}}`,
		},
		"PickFixed": {
			`policy: {placementType: PickFixed, clusterNames: [], topologySpreadConstraints: [], tolerations: [], ` +
				`affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}`,
			`policy: {placementType: PickFixed, clusterNames: []}`,
		},
		"terms that are null": {
			`policy: {affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: null}}}}`,
			`policy: {affinity: {clusterAffinity: {}}}`,
		},
		"PickN": {
			`policy: {placementType: PickN, numberOfClusters: 1, clusterNames: [], topologySpreadConstraints: [], tolerations: []}`,
			`policy: {placementType: PickN, numberOfClusters: 1, topologySpreadConstraints: [], tolerations: []}`,
		},
		"parts that say something": {
			`policy: {placementType: PickFixed, tolerations: [{key: a}], affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: []}}}}`,
			`policy: {placementType: PickFixed, tolerations: [{key: a}], affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: []}}}}`,
		},
		"strategy": {
			`strategy: {type: External, rollingUpdate: {}, applyStrategy: {serverSideApplyConfig: {}}}`,
			`strategy: {type: External, applyStrategy: {}}`,
		},
		"strategy that says something": {
			`strategy: {type: External, rollingUpdate: {maxSurge: "1"}, applyStrategy: {type: ServerSideApply, serverSideApplyConfig: {}}}`,
			`strategy: {type: External, rollingUpdate: {maxSurge: "1"}, applyStrategy: {type: ServerSideApply, serverSideApplyConfig: {}}}`,
		},
	} {
		in, before, want := parseSpec(t, c.in), parseSpec(t, c.in), parseSpec(t, c.want)
		if diff := cmp.Diff(want, in.WithoutUnusedParts()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(before, in); diff != "" {
			t.Errorf("%s: the spec itself is changed: %s", name, diff)
		}
	}
}

func parseSpec(t *testing.T, text string) (out Spec) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
