package standin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// overridden are the overrides that a cluster is to have, as its binding names them: an override that changes has another name there, so that the
// rollout comes to the cluster with it as it does with another content (KubeFleet, pkg/controllers/rollout: pickBindingsToRoll).
type overridden struct {
	cluster    []string
	namespaced []wire.NamespacedName
}

// of tells whether a binding names these.
func (o overridden) of(b wire.ClusterResourceBinding) bool {
	return slices.Equal(o.cluster, b.Spec.ClusterResourceOverrideSnapshots) && slices.Equal(o.namespaced, b.Spec.ResourceOverrideSnapshots)
}

// overriddenOn finds out which overrides a member is to have. Where that cannot be told there are none: the status says why.
func (l *lookAt) overriddenOn(name string) overridden {
	var found []override.Override
	for _, o := range l.mind.content.Objects {
		applicable, err := override.Applicable(l.overrides, o.Identifier, l.target(name), l.of().String())
		if err != nil {
			return overridden{}
		}
		for _, o := range applicable {
			if !slices.ContainsFunc(found, func(other override.Override) bool { return other.Reference == o.Reference }) {
				found = append(found, o)
			}
		}
	}
	var out overridden
	for _, o := range found {
		rules, err := json.Marshal(o.Rules)
		if err != nil {
			return overridden{}
		}
		sum := sha256.Sum256(rules)
		snapshot := o.Name + "-" + hex.EncodeToString(sum[:4])
		if o.Namespace == "" {
			out.cluster = append(out.cluster, snapshot)
		} else {
			out.namespaced = append(out.namespaced, wire.NamespacedName{Namespace: o.Namespace, Name: snapshot})
		}
	}
	slices.Sort(out.cluster)
	slices.SortFunc(out.namespaced, func(a, b wire.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// target is what overrides know of a member.
func (l *lookAt) target(name string) override.Cluster {
	out := override.Cluster{Name: name}
	for _, m := range l.members {
		if m.Name == name {
			out.Labels = labelsOf(m)
		}
	}
	return out
}

// current tells whether a binding has the latest content with the latest overrides.
func (l *lookAt) current(b wire.ClusterResourceBinding) bool {
	return b.Spec.ResourceSnapshotName == l.content && l.overriddenOn(b.Spec.TargetCluster).of(b)
}
