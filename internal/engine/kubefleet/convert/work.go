package convert

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// NotCompared are the objects of a Work that its agent could not compare under strategy type ReportDiff, with the condition that says why.
func NotCompared(work v1beta1.Work) []placement.FailedPlacement {
	var out []placement.FailedPlacement
	for _, m := range work.Status.ManifestConditions {
		for _, c := range m.Conditions {
			if c.Type == placement.DiffReported && c.Status == metav1.ConditionFalse {
				out = append(out, failure(workIdentifier(work, m.Identifier), condition(c)))
			}
		}
	}
	return out
}

// Manifests are the objects of a Work, applied or not.
func Manifests(work v1beta1.Work) ([]manifest.Identifier, error) {
	var out []manifest.Identifier
	for _, raw := range work.Spec.Workload.Manifests {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw.Raw); err != nil {
			return nil, fmt.Errorf("the Work %q on the hub cannot be read: %w", work.Namespace+"/"+work.Name, err)
		}
		out = append(out, manifest.NewObject(u, nil).Identifier)
	}
	return out, nil
}

func workIdentifier(work v1beta1.Work, id v1beta1.WorkResourceIdentifier) manifest.Identifier {
	out := manifest.Identifier{Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
	if envelope := work.Labels[v1beta1.EnvelopeTypeLabel]; envelope != "" {
		out.Envelope = &manifest.Envelope{
			Type: envelope, Name: work.Labels[v1beta1.EnvelopeNameLabel], Namespace: work.Labels[v1beta1.EnvelopeNamespaceLabel],
		}
	}
	return out
}
