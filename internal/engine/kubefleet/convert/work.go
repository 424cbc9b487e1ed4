package convert

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// NotCompared returns the objects of a Work that its agent could not compare under strategy type ReportDiff, with the condition that contains the reason. It
// includes objects whose differences the agent found in degraded mode: the agent counts them as not compared, and a hub reports no differences at all for a
// cluster with such an object (KubeFleet, pkg/controllers/workapplier: isManifestObjectDiffReported; R4 of package takeover).
func NotCompared(work v1beta1.Work) []placement.FailedPlacement {
	var out []placement.FailedPlacement
	for _, m := range work.Status.ManifestConditions {
		for _, c := range m.Conditions {
			degraded := c.Reason == takeover.ReasonFoundDiffInDegradedMode
			if c.Type != placement.DiffReported || c.Status != metav1.ConditionFalse && !degraded {
				continue
			}
			why := condition(c)
			if degraded {
				why.Message += hidden
			}
			out = append(out, failure(workIdentifier(work, m.Identifier), why))
		}
	}
	return out
}

// Applied returns the objects of a Work that its agent reports as applied.
func Applied(work v1beta1.Work) []manifest.Identifier {
	var out []manifest.Identifier
	for _, m := range work.Status.ManifestConditions {
		for _, c := range m.Conditions {
			if c.Type == placement.Applied && c.Status == metav1.ConditionTrue {
				out = append(out, workIdentifier(work, m.Identifier))
			}
		}
	}
	return out
}

// hidden is added to the message about an object that was compared in degraded mode. It explains the effect on the other objects of the cluster.
const hidden = ". While such an object exists, the hub reports the differences of no object on the cluster: place the object as the cluster accepts it, or " +
	"exclude it from the report"

// Manifests returns the objects of a Work, applied or not.
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
	return manifest.Identifier{
		Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Envelope: EnvelopeOf(work.ObjectMeta),
	}
}

// EnvelopeOf returns the envelope of the objects of a Work, or nil for the Work of directly selected objects.
func EnvelopeOf(work metav1.ObjectMeta) *manifest.Envelope {
	kind := work.Labels[v1beta1.EnvelopeTypeLabel]
	if kind == "" {
		return nil
	}
	return &manifest.Envelope{Type: kind, Name: work.Labels[v1beta1.EnvelopeNameLabel], Namespace: work.Labels[v1beta1.EnvelopeNamespaceLabel]}
}
