package kubefleet

import (
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// If the hub is unreachable, the selectors of an envelope are known for every wire format except Auto.
func TestSelectorsOfUnreachableHub(t *testing.T) {
	t.Parallel()
	cluster := kube.NewCluster("hub", connection.Connection{Host: "https://127.0.0.1:1", Token: "t"}, kube.Options{}, kube.NewLimiter(0))
	t.Cleanup(cluster.Close)
	e := &Engine{clusters: clusterset.New(cluster, nil, 0), pace: DefaultPace}
	for format, want := range map[envelope.WireFormat][]string{
		"":                                     nil,
		envelope.FormatAuto:                    nil,
		envelope.FormatConfigMap:               {"Namespace"},
		envelope.FormatResourceEnvelope:        {"Namespace"},
		envelope.FormatClusterResourceEnvelope: {"Namespace", "ClusterResourceEnvelope"},
	} {
		spec := envelope.Spec{Namespace: "app", Name: "rules", WireFormat: format, Manifests: map[string]string{
			"role.yaml": "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}",
		}}
		selectors, known, err := e.EnvelopeSelectors(t.Context(), spec)
		if _, unreachable := errors.AsType[*engine.UnreachableError](err); !unreachable || known != (want != nil) {
			t.Errorf("%q: known %v, %v", format, known, err)
		}
		if !known {
			continue
		}
		var kinds []string
		for _, s := range selectors {
			kinds = append(kinds, s.Kind)
		}
		if len(kinds) != len(want) || kinds[len(kinds)-1] != want[len(want)-1] {
			t.Errorf("%q: selects %v, want %v", format, kinds, want)
		}
	}
}
