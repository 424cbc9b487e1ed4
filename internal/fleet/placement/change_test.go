package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidateChange(t *testing.T) {
	tolerating := func(tolerations ...Toleration) Spec { return withPolicy(Policy{Tolerations: tolerations}) }
	reporting := func(scope ReportingScope) Spec { s := validSpec(); s.StatusReportingScope = scope; return s }
	a, b := Toleration{Key: "a", Operator: "Exists"}, Toleration{Key: "b", Value: "c"}
	tests := map[string]struct {
		old, changed Spec
		want         []string
	}{
		"nothing":                     {validSpec(), validSpec(), nil},
		"no policy to PickAll":        {validSpec(), withPolicy(Policy{PlacementType: PickAll}), nil},
		"no policy to PickN":          {validSpec(), withPolicy(Policy{PlacementType: PickN}), []string{"policy.placement_type"}},
		"PickAll to PickN":            {withPolicy(Policy{}), withPolicy(Policy{PlacementType: PickN}), []string{"policy.placement_type"}},
		"policy removed":              {withPolicy(Policy{PlacementType: PickN}), validSpec(), []string{"policy.placement_type"}},
		"policy removed, PickAll":     {withPolicy(Policy{}), validSpec(), nil},
		"policy removed, tolerating":  {tolerating(a), validSpec(), []string{"policy.tolerations"}},
		"toleration added, reordered": {tolerating(a), tolerating(b, a), nil},
		"toleration spelled out":      {tolerating(b), tolerating(Toleration{Key: "b", Operator: "Equal", Value: "c"}), nil},
		"toleration removed":          {tolerating(a, b), tolerating(b), []string{"policy.tolerations"}},
		"toleration changed":          {tolerating(a), tolerating(Toleration{Key: "a", Operator: "Exists", Effect: "NoSchedule"}), []string{"policy.tolerations"}},
		"rolling to external":         {validSpec(), withStrategy(Strategy{Type: ExternalStrategy}), nil},
		"external to rolling":         {withStrategy(Strategy{Type: ExternalStrategy}), withStrategy(Strategy{Type: RollingUpdateStrategy}), []string{"strategy.type"}},
		"external to nothing":         {withStrategy(Strategy{Type: ExternalStrategy}), validSpec(), []string{"strategy.type"}},
		"scope spelled out":           {validSpec(), reporting("ClusterScopeOnly"), nil},
		"scope changed":               {validSpec(), reporting("NamespaceAccessible"), []string{"status_reporting_scope"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range ValidateChange(tt.old, tt.changed) {
				got = append(got, p.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
