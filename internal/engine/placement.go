package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Placements places objects on clusters.
type Placements interface {
	// CheckPlacement returns the settings of a placement that the engine does not support.
	CheckPlacement(p Placement) []Limitation
	// CheckChange returns the changes of a spec that the engine cannot make to an existing placement.
	CheckChange(before, after placement.Spec) []placement.Problem
	// CanRename reports whether ApplyPlacement can rename a placement in place; see [Placement.FormerName]. If it cannot, a change of the name recreates the
	// placement.
	CanRename() bool
	// Preview returns what ApplyPlacement would do now, without writing anything.
	Preview(ctx context.Context, p Placement, options PreviewOptions) (*Preview, error)
	// PreviewDelete previews DeletePlacement, without writing anything.
	PreviewDelete(ctx context.Context, p Placement, options DeleteOptions) (*Preview, error)
	// ApplyPlacement makes the preview again and applies it. If it returns an error and a nil result, the placement remains unchanged, except that a rename may
	// have been applied. If both the result and the error are non-nil, the error occurred after the first write.
	ApplyPlacement(ctx context.Context, p Placement, options ApplyOptions) (*Result, error)
	// ReadPlacement returns the recorded placement with its live status, or [ErrNotFound] if it is proven to be on no cluster.
	ReadPlacement(ctx context.Context, p Placement) (*Recorded, error)
	// DeletePlacement removes a placement and waits until the removal is complete. It deletes the objects that the placement created. Objects that the
	// placement took over remain, unless the hub deletes them as well; see [HubPreview.KeepsAdopted].
	DeletePlacement(ctx context.Context, p Placement, options DeleteOptions) (*Result, error)
}

// CanChangeType reports whether an engine can change the type of a placement in place. If it cannot, a change of the type recreates the placement.
func CanChangeType(e Placements, was, is placement.PlacementType) bool {
	of := func(t placement.PlacementType) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: t}}
	}
	return len(e.CheckChange(of(was), of(is))) == 0
}

// Reference identifies a thing in an engine. Namespace is empty for a cluster-scoped one.
type Reference struct{ Namespace, Name string }

// String returns the import ID: NAMESPACE/NAME, or NAME.
func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// ParseReference parses the output of String.
func ParseReference(text string) Reference {
	namespace, name, found := strings.Cut(text, "/")
	if !found {
		return Reference{Name: text}
	}
	return Reference{Namespace: namespace, Name: name}
}

// Compare orders references by namespace and name; cluster-scoped ones come first.
func (r Reference) Compare(other Reference) int {
	return cmp.Or(strings.Compare(r.Namespace, other.Namespace), strings.Compare(r.Name, other.Name))
}

// Placement is a placement with its last known state.
type Placement struct {
	Reference
	// FormerName is the name of the placement in the state if the placement is being renamed, and "" otherwise.
	FormerName string
	// ID is the identity of the resource that manages the placement, a UUID that never changes; "" if unknown, as in an import.
	ID        string
	Spec      placement.Spec
	Manifests map[string]string
	// WriteOnly are additional manifests, under other keys. They are in no state: they are unknown when a placement is read or removed.
	WriteOnly map[string]string
	// TakesOverFrom are the placements from which this one takes objects over. They come from the configuration, and are in no record.
	TakesOverFrom []Giver
	// IgnoreFields are the fields that an apply creates and does not update. They are in no record.
	IgnoreFields ignore.Rules
	// Prior is the last known status; nil for a new placement or one that is being imported.
	Prior *placement.Status
	// Key signs the records of the placement; nil if the state has none, as after an import. Records are then used without verification.
	Key Key
	// KeyIsNew means that the key has not signed a record yet: existing records are used without verification, and an apply signs them.
	KeyIsNew bool
}

// AllManifests returns the manifests, including write-only ones.
func (p Placement) AllManifests() map[string]string {
	if len(p.WriteOnly) == 0 {
		return p.Manifests
	}
	out := maps.Clone(p.WriteOnly)
	maps.Copy(out, p.Manifests)
	return out
}

// Same reports whether two placements are equivalent: their specs have the same JSON, their manifests the same content.
func (p Placement) Same(other Placement) bool {
	a, errA := json.Marshal(p.Spec)
	b, errB := json.Marshal(other.Spec)
	return errA == nil && errB == nil && bytes.Equal(a, b) && maps.EqualFunc(p.Manifests, other.Manifests, manifest.Equivalent)
}

// KnownUID returns the UID of the placement's object on a hub at the last read or write; "" if unknown.
func (p Placement) KnownUID() string {
	if p.Prior == nil {
		return ""
	}
	return p.Prior.UID
}

// PriorCluster returns the last known status of a cluster, or the zero value.
func (p Placement) PriorCluster(name string) placement.ClusterStatus {
	if p.Prior == nil {
		return placement.ClusterStatus{}
	}
	return p.Prior.Clusters[name]
}

// PreviewOptions configure a preview.
type PreviewOptions struct {
	// Create means that the placement is new: if it exists already, the preview returns an [ExistsError].
	Create bool
	// Replaces is the placement that is removed before this one is created, or nil. The preview treats the objects that this removal deletes as deleted.
	Replaces *Placement
	// Run is the run that removes the replaced placement: see [DeleteOptions.Run].
	Run SameRun
	// World has the changes that the same run makes before it applies the placement. The preview takes them into account.
	World World
	// Expected is an earlier preview that the user agreed to, or nil.
	Expected *Expectation
	// Takers are the placements of the same run that take objects over from this one.
	Takers Takers
	// Unchanged means that the placement has no changes, so that the plan shows only what is pending. If nothing is pending, an engine may omit
	// what is expensive to determine: scores of clusters that were picked before, and the order of a rollout.
	Unchanged bool
	// Applying means that an apply makes the preview before it writes. The preview then skips the dry run of a takeover or update that Expected contains, if
	// the object has not changed since the plan.
	Applying bool
}

// ApplyOptions configure an apply.
type ApplyOptions struct {
	// Create means that the placement is new: it must not exist yet.
	Create bool
	// Expected is what the plan shows, or nil. Other actions on existing objects are not performed: engine direct skips these objects, and an engine of a hub
	// returns an error before its first write.
	Expected *Expectation
	// MayArrive reports whether another placement of the run may still define one of the kinds, or create a Namespace if kinds is empty. While it returns true,
	// the apply waits for kinds and Namespaces that its objects need. If MayArrive is nil, the apply does not wait.
	MayArrive func(kinds []schema.GroupVersionKind) bool
	// Progress, if not nil, is called with the progress of the apply for the log.
	Progress func(message string, fields map[string]any)
	// WaitUntilAvailable makes the apply wait until every object is available, or the context ends.
	WaitUntilAvailable bool
}

// DeleteOptions configure a removal.
type DeleteOptions struct {
	// Expected is what the plan of the removal shows, or nil. Anything else is not deleted, and the removal does not complete.
	Expected *Expectation
	// Run reports what the same run does with other placements; nil if it keeps all of them. A preview treats the objects of placements that the run removes as
	// deleted. A removal waits until the run has removed these placements. Then it deletes the Namespaces and CustomResourceDefinitions that contained their
	// objects.
	Run    SameRun
	Takers Takers
	// World has the assumptions of a preview: see [World.Assumptions]. A removal does not depend on the changes of its run.
	World World
}

// Recorded is a placement as recorded on the clusters.
type Recorded struct {
	// ID is the recorded identity of the resource that manages the placement; "" for a record without one.
	ID        string
	Spec      placement.Spec
	Manifests map[string]string
	// Generation is the generation of the spec on the hub, to which conditions refer; 0 for an engine whose status always refers to the current spec.
	Generation int64
	// WriteOnly are the recorded write-only manifests. WriteOnlyObjects are the objects in write-only manifests whose text is not recorded.
	WriteOnly        map[string]string
	WriteOnlyObjects []manifest.Identifier
	Status           placement.Status
	// Withheld describes the values and messages that are omitted from Status because they may be sensitive. It is nil if nothing is omitted.
	Withheld *Withheld
	// Warning is a warning about the records or about Status, for example why Status is the last known status and not the live one. It is "" if there is none.
	Warning string
	// Complete means that the recorded spec and manifests could be read; otherwise only the status is meaningful.
	Complete bool
	// UnconnectedClusters are the clusters that had objects of the placement and are no longer in the status, because the provider has no connection to
	// them any more. Their objects remain.
	UnconnectedClusters []string
	// Trusted are the clusters whose records were used without verification, by name.
	Trusted []string
}
