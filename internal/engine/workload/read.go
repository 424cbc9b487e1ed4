package workload

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// A Reader reads the workloads on the members of a fleet, independently of the engine.
type Reader struct {
	clusters *clusterset.Set
	hub      Hub
}

// Hub describes how an engine's hub handles workloads. The zero value is for an engine without a hub, and for a hub that places every kind and leaves no
// replica counts to members.
type Hub struct {
	// Retention has the kinds for which the hub can leave the replica count to members, with the annotation that requests this.
	Retention workload.Retention
	// Unplaceable reads which kinds the hub does not place. The returned function returns the reason, or "" for a kind that the hub places. Unplaceable is nil
	// if the hub places every kind.
	Unplaceable func(context.Context) (func(schema.GroupVersionKind) string, error)
}

// NewReader returns a Reader of these clusters with the engine's hub.
func NewReader(clusters *clusterset.Set, hub Hub) *Reader {
	return &Reader{clusters: clusters, hub: hub}
}

// Request is the input of Read.
type Request struct {
	Cluster  string
	Workload manifest.Identifier
	// If Related is true, Read also reads the objects that belong to the workload.
	Related bool
	// If ThroughHub is true, Read sends the configuration to the hub's API server as a dry run before it determines the verdict. Set it for a hub that stores
	// placed objects: the hub's API server can have another version than the member, and set or drop other fields.
	ThroughHub bool
}

// Object is an object on the member.
type Object struct {
	manifest.Identifier
	Relation workload.Relation
	// Configuration is the part of the object that a placement can contain. It is nil for an object that is left out. LeftOut then has the reason.
	Configuration *unstructured.Unstructured
	LeftOut       string
	// Lacking means that a cluster to which only the manifests are applied would not have the object. The object exists on the member, or was not read.
	Lacking bool
	Owner   takeover.Owner
}

// Found is a workload that was read.
type Found struct {
	// Objects are the workload and its related objects, in this order.
	Objects []Object
	Verdict Verdict
	Scaling Scaling
	// Unseen are the kinds that could not be read. Objects of these kinds may belong to the workload.
	Unseen []Unseen
}

// Unseen is a kind that could not be read in a namespace.
type Unseen struct {
	Kind, Namespace string
	Err             error
}

// Manifests returns the configurations that a placement can contain, in the order of the objects.
func (f *Found) Manifests() []manifest.Object {
	var out []manifest.Object
	for _, o := range f.Objects {
		if o.Configuration != nil {
			out = append(out, manifest.Object{Identifier: o.Identifier, Content: o.Configuration})
		}
	}
	return out
}

// Read reads a workload. It returns engine.ErrNotFound if the workload does not exist.
//
// It never reads a Secret: a placement would store the values, and everybody who can read the placement could read them.
func (r *Reader) Read(ctx context.Context, request Request) (*Found, error) {
	member, err := r.clusters.Member(request.Cluster)
	if err != nil {
		return nil, err
	}
	id := request.Workload
	if reason, isUnfit := workload.UnfitKind(id.GroupVersionKind().GroupKind()); isUnfit {
		return &Found{Objects: []Object{{Identifier: id, Relation: workload.RelationItself, LeftOut: reason}}, Verdict: Verdict{Restart: workload.RestartNone}}, nil
	}
	live, err := member.Get(ctx, id.GroupVersionKind(), id.Namespace, id.Name)
	if err := clusterset.ReadError(request.Cluster, id, err); err != nil {
		return nil, err
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

// leaveOutUnplaceable removes the configuration of the objects that the hub does not place.
func (r *Reader) leaveOutUnplaceable(ctx context.Context, found *Found) error {
	if r.hub.Unplaceable == nil {
		return nil
	}
	reasonFor, err := r.hub.Unplaceable(ctx)
	if err != nil {
		return err
	}
	for i := range found.Objects {
		o := &found.Objects[i]
		if reason := reasonFor(o.GroupVersionKind()); reason != "" && o.Configuration != nil {
			o.Configuration, o.LeftOut, o.Lacking = nil, reason, true
		}
	}
	return nil
}

func objectOf(live *unstructured.Unstructured, relation workload.Relation) Object {
	out := Object{Identifier: manifest.NewObject(live, nil).Identifier, Relation: relation, Owner: takeover.OwnerOf(live, takeover.Ours{})}
	if reason, isUnfit := workload.Unfit(live); isUnfit {
		out.LeftOut, out.Lacking = reason, !workload.IsEverywhere(live)
	} else {
		out.Configuration = workload.Configuration(live)
	}
	return out
}
