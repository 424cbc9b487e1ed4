package workload

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Reader reads what runs on the members of a fleet, whatever engine runs it.
type Reader struct {
	clusters  *clusterset.Set
	retention workload.Retention
}

// NewReader returns a reader of these clusters. retention is that of the engine, nil for one whose hub leaves no replicas to members.
func NewReader(clusters *clusterset.Set, retention workload.Retention) *Reader {
	return &Reader{clusters: clusters, retention: retention}
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
	if kube.IsNotFound(err) {
		return nil, engine.ErrNotFound
	}
	if err != nil {
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
	own := found.Objects[0].Configuration
	if own == nil {
		found.Verdict = Verdict{Restart: workload.RestartNone}
		return found, nil
	}
	if found.Scaling.By != "" {
		found.Scaling.Replicas = workload.LeaveReplicas(own, request.ThroughHub, r.retention)
	}
	found.Verdict, err = r.verdict(ctx, member, live, own, request.ThroughHub)
	return found, err
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
