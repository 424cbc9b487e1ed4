package host

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Giver is a placement that another one takes objects over from. The label of an object on the host names its policy, and the record of the policy has the
// Namespaces, which have no label.
type Giver struct {
	engine.Giver
	Of engine.Reference
	// Destroyed reports that the giver was destroyed before the objects were taken over: its policy exists only until then.
	Destroyed bool
	// Policy, PolicyLive, ExternalPolicy, Federated and Followers are those of [Fleet].
	Policy         *v1alpha1.ClusterPropagationPolicy
	PolicyLive     *unstructured.Unstructured
	ExternalPolicy *v1alpha1.PropagationPolicySpec
	Federated      map[manifest.Key]convert.Federated
	Followers      map[manifest.Key]Follower
}

// ReadGiver reads a giver.
func ReadGiver(ctx context.Context, host *kube.Cluster, giver engine.Giver) (*Giver, error) {
	out := &Giver{Giver: giver, Of: engine.ParseReference(giver.Name)}
	var err error
	out.Policy, out.PolicyLive, err = Get[v1alpha1.ClusterPropagationPolicy](ctx, host, PolicyKind(out.Of.Namespace), out.Of.Namespace, out.Of.Name)
	if err != nil {
		return nil, err
	}
	out.ExternalPolicy = external(out.Policy, out.PolicyLive, host.FieldManager(""))
	out.Destroyed = out.Policy != nil && out.ExternalPolicy == nil && out.Policy.Annotations[handedOverAnnotation] != ""
	if out.Federated, err = OfPolicy(ctx, host, out.Of); err != nil {
		return nil, err
	}
	out.Followers, err = followers(ctx, host, out.Federated)
	return out, err
}

// handedOverAnnotation is on the policy of a placement that was destroyed before others had taken its objects over. Its value has the names of the others.
const handedOverAnnotation = "fleet.terraform.io/handed-over-to"

// KeepForTakers writes the policy of a placement that is destroyed while it still has objects that others are to take over: without the policy, the host would not
// place them. made are those among them that the provider has made.
func KeepForTakers(ctx context.Context, host *kube.Cluster, of engine.Reference, fleet *Fleet, made Made, takers []string) error {
	return keepPolicy(ctx, host, &Giver{Of: of, Policy: fleet.Policy, PolicyLive: fleet.PolicyLive}, made, strings.Join(takers, ","))
}

// Record writes what the provider has made for a giver into the record of its policy.
func Record(ctx context.Context, host *kube.Cluster, giver *Giver, made Made) error {
	return keepPolicy(ctx, host, giver, made, giver.PolicyLive.GetAnnotations()[handedOverAnnotation])
}

// keepPolicy writes the record of a policy and the names of the takers, and does not change the spec.
func keepPolicy(ctx context.Context, host *kube.Cluster, giver *Giver, made Made, takers string) error {
	want, err := PolicyObject(giver.Of, giver.Policy.Spec, made)
	if err != nil {
		return err
	}
	writeOnly := slices.DeleteFunc(WriteOnlyOf(giver.PolicyLive), func(id manifest.Identifier) bool { return !made.Has(id) })
	if err := RecordWriteOnly(want, writeOnly); err != nil {
		return err
	}
	if giver.ExternalPolicy != nil {
		_, err = PatchPolicy(ctx, host, want, giver.PolicyLive, *giver.ExternalPolicy)
		return err
	}
	if annotations := want.GetAnnotations(); takers != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[handedOverAnnotation] = takers
		want.SetAnnotations(annotations)
	}
	_, err = Put(ctx, host, want, giver.PolicyLive)
	return err
}

// IsUnmanaged reports whether no resource manages the giver.
func (g *Giver) IsUnmanaged() bool { return g.Removed || g.Destroyed }

// Exists reports whether the host has anything of the giver.
func (g *Giver) Exists() bool { return g.Policy != nil || len(g.Federated) > 0 }

// Take makes an object of a giver the object of a placement. One write changes its label and its other keys, and its content if want is not nil. The control plane
// therefore schedules no object with the policy of one placement and the content or the keys of the other.
//
// Take returns an error, and does not write the object, if the object belongs to a third placement by now, or was recreated.
func Take(
	ctx context.Context, host *kube.Cluster, of, from engine.Reference, want, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	return repeatConflicts(ctx, host, func() (*unstructured.Unstructured, error) { return take(ctx, host, of, from, want, live, keys) })
}

// take is one attempt of [Take].
func take(
	ctx context.Context, host *kube.Cluster, of, from engine.Reference, want, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	now, err := readUnclaimed(ctx, host, live, of, from)
	if err != nil {
		return nil, err
	}
	options := kube.ApplyOptions{Force: true, OptimisticLock: true, FieldManager: host.FieldManager("") + keysSuffix}
	content := keyed(now, keys)
	if want != nil {
		options = kube.ApplyOptions{Force: true, OptimisticLock: true, Strict: true}
		content = With(want, keys)
	}
	stored, _, err := host.ApplyServerSide(ctx, content, now, options)
	if err != nil {
		return nil, err
	}
	var former []string // an apply does not remove a label that other field managers own, too
	if label := convert.PolicyLabelOf(from.Namespace); hasLabelOf(stored, from, label) {
		former = []string{label}
	}
	return removeOthers(ctx, host, stored, keys, former...)
}

// RecordedElsewhere returns which of some Namespaces or definitions other policies have in their records. Two policies have one while it is handed over from one
// placement to the other.
func RecordedElsewhere(ctx context.Context, host *kube.Cluster, of engine.Reference) (map[manifest.Key]engine.Reference, error) {
	policies, err := controlplane.Metadata(ctx, host, dialect, groupKind(PolicyKind(of.Namespace)), of.Namespace, "")
	if err != nil {
		return nil, err
	}
	out := map[manifest.Key]engine.Reference{}
	for _, policy := range policies {
		name := engine.Reference{Namespace: policy.Namespace, Name: policy.Name}
		if name == of || policy.DeletionTimestamp != nil {
			continue
		}
		for key := range recorded(policy.Annotations) {
			out[key] = name
		}
	}
	return out, nil
}
