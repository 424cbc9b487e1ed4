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

// Giver is a placement whose objects another placement takes over. A label of an object on the host names the policy of the giver. Namespaces have no label,
// but the record of this policy lists them.
type Giver struct {
	engine.Giver
	Of engine.Reference
	// Destroyed reports that the giver was destroyed before its objects were taken over. Its policy remains until the takeover.
	Destroyed bool
	// Policy, PolicyLive, ExternalPolicy, Federated and Followers are the same as in [Fleet], for the policy of the giver.
	Policy         *v1alpha1.ClusterPropagationPolicy
	PolicyLive     *unstructured.Unstructured
	ExternalPolicy *v1alpha1.PropagationPolicySpec
	Federated      map[manifest.Key]convert.Federated
	Followers      map[manifest.Key]Follower
}

// ReadGiver reads the policy, the FederatedObjects and the followers of a giver. The policy is nil if it does not exist.
func ReadGiver(ctx context.Context, host *kube.Cluster, giver engine.Giver) (*Giver, error) {
	out := &Giver{Giver: giver, Of: engine.ParseReference(giver.Name)}
	var err error
	out.Policy, out.PolicyLive, err = Get[v1alpha1.ClusterPropagationPolicy](ctx, host, PolicyKind(out.Of.Namespace), out.Of.Namespace, out.Of.Name)
	if err != nil {
		return nil, err
	}
	out.ExternalPolicy = externalSpec(out.Policy, out.PolicyLive, host.FieldManager(""))
	out.Destroyed = out.Policy != nil && out.ExternalPolicy == nil && out.Policy.Annotations[handedOverAnnotation] != ""
	if out.Federated, err = OfPolicy(ctx, host, out.Of); err != nil {
		return nil, err
	}
	out.Followers, err = readFollowers(ctx, host, out.Federated)
	return out, err
}

// handedOverAnnotation is an annotation of the policy of a placement that was destroyed before its objects were taken over. Its value has the names of the
// placements that take the objects over.
const handedOverAnnotation = "fleet.terraform.io/handed-over-to"

// KeepForTakers writes [handedOverAnnotation] to the policy of a placement that is destroyed before other placements (takers) take over its objects. The policy
// remains, because the host would not place the objects without it. made are the objects that the provider created for the placement and that are not taken
// over yet.
func KeepForTakers(ctx context.Context, host *kube.Cluster, of engine.Reference, fleet *Fleet, made Made, takers []string) error {
	return keepPolicy(ctx, host, &Giver{Of: of, Policy: fleet.Policy, PolicyLive: fleet.PolicyLive}, made, strings.Join(takers, ","))
}

// Record writes made, the objects that the provider created for a giver, to the record of the giver's policy.
func Record(ctx context.Context, host *kube.Cluster, giver *Giver, made Made) error {
	return keepPolicy(ctx, host, giver, made, giver.PolicyLive.GetAnnotations()[handedOverAnnotation])
}

// keepPolicy writes the record of a policy and the names of the takers, separated by commas. It does not change the spec.
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

// IsUnmanaged reports whether no Terraform resource manages the giver any more.
func (g *Giver) IsUnmanaged() bool { return g.Removed || g.Destroyed }

// Exists reports whether the host has the policy or an object of the giver.
func (g *Giver) Exists() bool { return g.Policy != nil || len(g.Federated) > 0 }

// Take hands an object of a giver over to a placement. of is the placement, and from is the giver. One write sets the object's label, its other keys and, if
// want is not nil, its content. The control plane therefore never schedules an object with the policy of one placement and the content of the other. A
// second write removes keys of the giver that another field manager also owns.
//
// Take returns an error, and does not write the object, if the object now belongs to a third placement or was recreated.
func Take(
	ctx context.Context, host *kube.Cluster, of, from engine.Reference, want, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	return repeatConflicts(ctx, host, func() (*unstructured.Unstructured, error) { return take(ctx, host, of, from, want, live, keys) })
}

func take(
	ctx context.Context, host *kube.Cluster, of, from engine.Reference, want, live *unstructured.Unstructured, keys convert.Keys,
) (*unstructured.Unstructured, error) {
	now, err := readUnclaimed(ctx, host, live, of, from)
	if err != nil {
		return nil, err
	}
	options := kube.ApplyOptions{Force: true, OptimisticLock: true, FieldManager: host.FieldManager("") + keysSuffix}
	content := withOnlyKeys(now, keys)
	if want != nil {
		options = kube.ApplyOptions{Force: true, OptimisticLock: true, Strict: true}
		content = With(want, keys)
	}
	stored, _, err := host.ApplyServerSide(ctx, content, now, options)
	if err != nil {
		return nil, err
	}
	var former []string // an apply does not remove a label that other field managers also own
	if label := convert.PolicyLabelOf(from.Namespace); hasLabelOf(stored, from, label) {
		former = []string{label}
	}
	return removeOthers(ctx, host, stored, keys, former...)
}

// RecordedElsewhere returns the objects in the records of other policies of the same kind, with the name of the policy. It ignores policies that are being
// deleted. During a hand-over, an object is in the records of both policies.
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
		for key := range parseRecord(policy.Annotations) {
			out[key] = name
		}
	}
	return out, nil
}
