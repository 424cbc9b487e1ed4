package workload

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Reader reads what runs on the members of a fleet, whatever engine runs it.
type Reader struct {
	clusters *clusterset.Set
	hub      Hub
}

// Hub is what the hub of an engine does with workloads. The zero value stands for a hub that places every kind and leaves no replicas to members.
type Hub struct {
	// Retention is how it leaves the number of Pods to members.
	Retention workload.Retention
	// Unplaceable reads which kinds the hub does not place: the returned function says why, and nothing for a kind that it places.
	Unplaceable func(context.Context) (func(schema.GroupVersionKind) string, error)
}

// NewReader returns a reader of these clusters, whose hub is that of the engine.
func NewReader(clusters *clusterset.Set, hub Hub) *Reader {
	return &Reader{clusters: clusters, hub: hub}
}

// Request is what to read.
type Request struct {
	Cluster  string
	Workload manifest.Identifier
	// Related asks for what belongs to the workload, too.
	Related bool
	// ThroughHub has the hub's API server see the configuration before the verdict is made, as where a hub stores what is placed: one of another
	// version fills in and drops other fields.
	ThroughHub bool
}

// Object is an object as it is on the member.
type Object struct {
	manifest.Identifier
	Relation workload.Relation
	// Configuration is what a placement can have of it; nil for what is not handed over, for the reason in LeftOut.
	Configuration *unstructured.Unstructured
	LeftOut       string
	// Lacking says that it is there, and a cluster that gets the manifests alone lacks it.
	Lacking bool
	Owner   takeover.Owner
}

// Found is a workload.
type Found struct {
	// Objects are the workload and what belongs to it, in this order.
	Objects []Object
	Verdict Verdict
	Scaling Scaling
	// Unseen are kinds that could not be read, because the account is not allowed to: objects of these may belong to the workload.
	Unseen []Unseen
}

// Unseen is a kind of which nothing could be read in a namespace.
type Unseen struct {
	Kind, Namespace string
	Err             error
}

// Manifests are what a placement can have, in the order of the objects.
func (f *Found) Manifests() []manifest.Object {
	var out []manifest.Object
	for _, o := range f.Objects {
		if o.Configuration != nil {
			out = append(out, manifest.Object{Identifier: o.Identifier, Content: o.Configuration})
		}
	}
	return out
}

// Read reads it. What does not exist is [engine.ErrNotFound].
//
// No Secret is read: a placement that has its values keeps them where everybody who reads the placement can.
func (r *Reader) Read(ctx context.Context, request Request) (*Found, error) {
	member, err := r.clusters.Member(request.Cluster)
	if err != nil {
		return nil, err
	}
	id := request.Workload
	if reason, unfit := workload.UnfitKind(id.GroupVersionKind().GroupKind()); unfit {
		return &Found{Objects: []Object{{Identifier: id, Relation: workload.RelationItself, LeftOut: reason}}, Verdict: Verdict{Restart: workload.RestartNone}}, nil
	}
	live, err := member.Get(ctx, id.GroupVersionKind(), id.Namespace, id.Name)
	switch {
	case kube.IsNotFound(err):
		return nil, engine.ErrNotFound
	case kube.IsUnknownKind(err):
		return nil, because("kind", err.Error())
	case kube.IsNamespaceMissing(err):
		return nil, because("namespace", "a "+id.Kind+" is in a namespace: set it")
	case err != nil:
		return nil, clusterset.Unreachable(request.Cluster, err)
	}
	found := &Found{Objects: []Object{objectOf(live, workload.RelationItself)}}
	if request.Related && workload.Is(id.GroupVersionKind().GroupKind()) {
		err = found.readRelated(ctx, member, live)
	} else {
		err = found.readScaling(ctx, member, live)
	}
	if err != nil {
		return nil, clusterset.Unreachable(request.Cluster, err)
	}
	if err := r.leaveOutUnplaceable(ctx, found); err != nil {
		return nil, err
	}
	own := found.Objects[0].Configuration
	if own == nil {
		found.Verdict = Verdict{Restart: workload.RestartNone}
		return found, nil
	}
	if found.Scaling.By != "" {
		found.Scaling.Replicas = workload.LeaveReplicas(own, request.ThroughHub, r.hub.Retention)
	}
	found.Verdict, err = r.verdict(ctx, member, live, own, request.ThroughHub)
	return found, err
}

// because is an error that one argument of a request causes.
func because(argument, message string) error {
	return &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At(argument), Message: message}}
}

// leaveOutUnplaceable leaves out the objects that the hub does not place.
func (r *Reader) leaveOutUnplaceable(ctx context.Context, found *Found) error {
	if r.hub.Unplaceable == nil {
		return nil
	}
	why, err := r.hub.Unplaceable(ctx)
	if err != nil {
		return err
	}
	for i := range found.Objects {
		o := &found.Objects[i]
		if reason := why(o.GroupVersionKind()); reason != "" && o.Configuration != nil {
			o.Configuration, o.LeftOut, o.Lacking = nil, reason, true
		}
	}
	return nil
}

func objectOf(live *unstructured.Unstructured, relation workload.Relation) Object {
	out := Object{Identifier: manifest.NewObject(live, nil).Identifier, Relation: relation, Owner: takeover.OwnerOf(live, takeover.Ours{})}
	if reason, unfit := workload.Unfit(live); unfit {
		out.LeftOut, out.Lacking = reason, !workload.IsEverywhere(live)
	} else {
		out.Configuration = workload.Configuration(live)
	}
	return out
}
