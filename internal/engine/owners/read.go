package owners

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// A Reader reads the owners of objects on the members of a fleet, independently of the engine.
type Reader struct {
	clusters *clusterset.Set
	records  ReadRecords
}

// ReadRecords reads the records of the provider's placements on a member.
type ReadRecords func(ctx context.Context, member *kube.Cluster) (*Records, error)

// NewReader returns a Reader of these clusters.
func NewReader(clusters *clusterset.Set, records ReadRecords) *Reader {
	return &Reader{clusters: clusters, records: records}
}

// Request is the input of Read.
type Request struct {
	Cluster string
	Object  manifest.Identifier
}

// Placement identifies a placement. Name and ID are empty if they cannot be read from the member. Namespace is empty for a cluster-scoped placement.
type Placement struct {
	Namespace, Name, ID string
	// TookOver reports that the object existed before the placement. Only placements of the engine direct set it.
	TookOver bool
}

// Found is an object that exists, and its owner.
type Found struct {
	// CreatedAt is in RFC 3339.
	CreatedAt string
	Deleting  bool
	// Owner is the owner of the object, or of its topmost controller. Since is a time in RFC 3339 at which it already was the owner; "" if unknown.
	Owner takeover.Owner
	Since string
	// Placement is nil if no placement owns the object.
	Placement *Placement
	// Marks are all marks of owners of the object itself.
	Marks []takeover.Mark
	// Controllers are the controller of the object, the controller of this controller, and so on. Unfollowed is the reason why the topmost controller is unknown,
	// or nil.
	Controllers []manifest.Identifier
	Unfollowed  error
	Managers    []diff.Entry
	// RecordsErr is the reason why the records of placements could not be read, or nil. Without the records, an object of a placement has the owner
	// [takeover.OwnerApplySet].
	RecordsErr error
}

// Read reads the owner of an object. It returns engine.ErrNotFound if the object does not exist.
func (r *Reader) Read(ctx context.Context, request Request) (*Found, error) {
	member, err := r.clusters.Member(request.Cluster)
	if err != nil {
		return nil, err
	}
	id := request.Object
	mapping, err := member.Resolve(ctx, id.GroupVersionKind())
	if err := clusterset.ReadError(request.Cluster, id, err); err != nil {
		return nil, err
	}
	if !mapping.Namespaced && id.Namespace != "" {
		return nil, clusterset.BecauseOf("namespace", "a "+id.Kind+" is cluster-scoped: omit it")
	}
	live, err := readMetadata(ctx, member, id)
	if err := clusterset.ReadError(request.Cluster, id, err); err != nil {
		return nil, err
	}
	records, recordsErr, err := r.readRecords(ctx, member)
	if err != nil {
		return nil, err
	}
	marks, entry := records.marks(live)
	found := &Found{
		CreatedAt: formatTime(live.GetCreationTimestamp()), Deleting: live.GetDeletionTimestamp() != nil,
		Marks: marks, Managers: diff.Entries(live), RecordsErr: recordsErr,
	}
	return found, found.follow(ctx, member, records, live, entry)
}

// readRecords reads the records of placements. denied is the error if the account may not read them; records is then empty.
func (r *Reader) readRecords(ctx context.Context, member *kube.Cluster) (records *Records, denied, err error) {
	records, err = r.records(ctx, member)
	switch {
	case kube.IsForbidden(err):
		return &Records{}, err, nil
	case err != nil:
		return nil, nil, clusterset.Unreachable(member.Name(), err)
	}
	return records, nil, nil
}

// maxControllers is the maximum number of controllers that are followed, in case they form a loop.
const maxControllers = 8

// follow sets the owner to that of the object, or of its topmost controller. If the topmost controller has no owner, the controller is the owner. If a
// controller cannot be read, follow sets Unfollowed. It returns an error if the member is unavailable.
func (f *Found) follow(ctx context.Context, member *kube.Cluster, records *Records, live *unstructured.Unstructured, entry *Record) error {
	f.setOwner(f.Marks, entry)
	for f.Owner.Kind == takeover.OwnerController && f.Unfollowed == nil {
		if len(f.Controllers) == maxControllers {
			f.Unfollowed = fmt.Errorf("it has more than %d controllers", maxControllers)
			return nil
		}
		controller, err := readController(ctx, member, live)
		if clusterset.IsUnavailable(err) {
			return clusterset.Unreachable(member.Name(), err)
		}
		if err != nil {
			f.Unfollowed = err
			return nil //nolint:nilerr // the rest of the answer is valid
		}
		live = controller
		f.Controllers = append(f.Controllers, manifest.NewObject(live, nil).Identifier)
		marks, entry := records.marks(live)
		if len(marks) == 0 {
			return nil
		}
		f.setOwner(marks, entry)
	}
	return nil
}

func (f *Found) setOwner(marks []takeover.Mark, entry *Record) {
	f.Owner = takeover.Owner{Kind: takeover.OwnerNone}
	if len(marks) > 0 {
		f.Owner, f.Since = marks[0].Owner, marks[0].Since
	}
	f.Placement = placementOf(f.Owner, entry)
}

// readController reads the metadata of the object's controller. It returns an error if the UID of the controller differs from that in the owner reference.
func readController(ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ref, found := takeover.ControllerOf(live)
	if !found {
		return nil, errors.New("it has no owner reference")
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	mapping, err := member.Resolve(ctx, gvk)
	if err != nil {
		return nil, err
	}
	id := manifest.Identifier{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Name: ref.Name}
	if mapping.Namespaced {
		id.Namespace = live.GetNamespace()
	}
	controller, err := readMetadata(ctx, member, id)
	switch {
	case kube.IsNotFound(err):
		return nil, fmt.Errorf("%s does not exist", id)
	case err != nil:
		return nil, err
	case controller.GetUID() != ref.UID:
		return nil, fmt.Errorf("%s is another object than the one in the owner reference", id)
	}
	return controller, nil
}

func readMetadata(ctx context.Context, member *kube.Cluster, id manifest.Identifier) (*unstructured.Unstructured, error) {
	metadata, err := member.GetMetadata(ctx, kube.Ref{GVK: id.GroupVersionKind(), Namespace: id.Namespace, Name: id.Name})
	if err != nil {
		return nil, err
	}
	return manifest.OfMetadata(id.GroupVersionKind(), *metadata)
}

// placementOf returns the placement that owner identifies, or nil if owner is no placement. KubeAdmiral's marks do not name the placement.
func placementOf(owner takeover.Owner, entry *Record) *Placement {
	switch {
	case owner.Kind == takeover.OwnerPlacement && entry != nil:
		return &Placement{Name: entry.Placement, ID: entry.ID, TookOver: entry.Adopted}
	case owner.Kind == takeover.OwnerKubeFleet:
		namespace, name, _ := kubefleetapi.PlacementOfWork(owner.Name)
		return &Placement{Namespace: namespace, Name: name}
	case owner.Kind == takeover.OwnerKubeAdmiral:
		return &Placement{}
	}
	return nil
}

func formatTime(at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
