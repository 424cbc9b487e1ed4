package memberpreview_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// The second engine marks its objects with this label and annotation. Comparisons and previews omit keys of this domain.
const (
	setLabel       = "second.kubernetes-fleet.io/set"
	hashAnnotation = "second.kubernetes-fleet.io/hash"
	// agent is its field manager.
	agent = "second-agent"
)

// second is an engine that shares only this package with the others: it keeps no records, identifies its objects by a label and the applied
// content by an annotation, and applies server-side as an agent.
type second struct {
	set     string
	cluster *kube.Cluster
	// clientSide makes it apply client-side.
	clientSide bool
}

var (
	_ memberpreview.Ownership = second{}
	_ memberpreview.Writer    = second{}
)

func (s second) Owns(o *memberpreview.Object) bool { return o.Live.GetLabels()[setLabel] == s.set }

func (s second) Owner(live *unstructured.Unstructured) takeover.Owner {
	if set := live.GetLabels()[setLabel]; set != "" && set != s.set {
		return takeover.Owner{Kind: takeover.OwnerPlacement, Name: set, Exclusive: true}
	}
	return takeover.OwnerOf(live, takeover.Ours{})
}

func (second) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	return takeover.OwnerReferences(live, takeover.Ours{})
}

func (s second) Marked(o *memberpreview.Object) bool { return s.Owns(o) }

func (s second) Applied(o *memberpreview.Object) bool {
	return s.Marked(o) && o.Live.GetAnnotations()[hashAnnotation] == o.Hash
}

// UpToDate always returns false: the state after the last apply is not recorded.
func (second) UpToDate(*memberpreview.Object) bool { return false }

func (second) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }

func (s second) Write(
	ctx context.Context, o *memberpreview.Object, action takeover.Action, dryRun bool,
) (*unstructured.Unstructured, error) {
	if o.Live == nil {
		return s.cluster.Create(ctx, o.Desired, kube.WriteOptions{FieldManager: agent, DryRun: dryRun})
	}
	options := s.options(action)
	options.DryRun = dryRun
	if s.clientSide {
		result, _, err := s.cluster.ApplyClientSide(ctx, o.Desired, o.Live, options)
		return result, err
	}
	result, _, err := s.cluster.ApplyServerSide(ctx, o.Desired, o.Live, options)
	return result, err
}

func (second) options(action takeover.Action) kube.ApplyOptions {
	return kube.ApplyOptions{FieldManager: agent, Force: true, OptimisticLock: action == takeover.ActionTakeOver}
}

func (s second) Changes(schema diff.Schema, o *memberpreview.Object, action takeover.Action, set []diff.Difference) []diff.Difference {
	return memberpreview.ServerSideChanges(s.cluster, schema, o, set, s.options(action))
}

func (second) LastApplied(*unstructured.Unstructured) *unstructured.Unstructured { return nil }

func (s second) Removals(schema diff.Schema, o *memberpreview.Object, action takeover.Action) ([]diff.Difference, bool) {
	return memberpreview.ServerSideRemovals(s.cluster, schema, o, s.options(action))
}

func (s second) Conflicts(schema diff.Schema, o *memberpreview.Object, action takeover.Action) []diff.Conflict {
	return memberpreview.ServerSideConflicts(s.cluster, schema, o, s.options(action))
}

// object returns a manifest as the engine sends it.
func (s second) object(content *unstructured.Unstructured) *memberpreview.Object {
	named := manifest.NewObject(content, nil)
	out := &memberpreview.Object{Desired: content.DeepCopy(), Hash: named.Hash()}
	out.Identifier = named.Identifier
	out.Desired.SetLabels(map[string]string{setLabel: s.set})
	out.Desired.SetAnnotations(map[string]string{hashAnnotation: out.Hash})
	return out
}

// preview returns the preview of one member.
func (s second) preview(
	ctx context.Context, strategy placement.ApplyStrategy, expected *engine.Expectation, contents ...*unstructured.Unstructured,
) (engine.ClusterPreview, error) {
	member := &memberpreview.Member{
		Cluster: s.cluster, Schema: objectschema.New(), Ownership: s, Writer: s, Strategy: strategy, Expected: expected, DryRun: true,
		FieldManager: agent,
	}
	objects := make([]*memberpreview.Object, len(contents))
	for i, content := range contents {
		objects[i] = s.object(content)
	}
	if err := member.Preview(ctx, objects, nil); err != nil {
		return engine.ClusterPreview{Name: s.cluster.Name(), Picked: true, CheckMethod: engine.CheckOffline, Err: err}, err
	}
	out := engine.ClusterPreview{Name: s.cluster.Name(), Picked: true, CheckMethod: member.CheckMethod()}
	for _, o := range objects {
		out.Objects = append(out.Objects, o.ObjectPreview)
	}
	return out, nil
}
