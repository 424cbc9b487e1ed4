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
	// CheckPlacement tells what of a placement the engine cannot express.
	CheckPlacement(p Placement) []Limitation
	// CheckChange returns the changes of a spec that the engine cannot make while the placement exists.
	CheckChange(before, after placement.Spec) []placement.Problem
	// CanRename reports whether ApplyPlacement gives a placement another name in place; see [Placement.FormerName]. If not, another name replaces the
	// placement.
	CanRename() bool
	// Preview tells what ApplyPlacement would do now, without writing anything.
	Preview(ctx context.Context, p Placement, options PreviewOptions) (*Preview, error)
	// PreviewDelete previews DeletePlacement, without writing anything.
	PreviewDelete(ctx context.Context, p Placement, options DeleteOptions) (*Preview, error)
	// ApplyPlacement makes the preview again and carries it out. The status is never nil after the first write; a non-nil error with a
	// status says what went wrong on the way.
	ApplyPlacement(ctx context.Context, p Placement, options ApplyOptions) (*Result, error)
	// ReadPlacement returns the placement as it is recorded with its live status, or [ErrNotFound] when it is proven to be nowhere.
	ReadPlacement(ctx context.Context, p Placement) (*Recorded, error)
	// DeletePlacement removes what the placement created, orphans what it adopted, and returns when it is gone.
	DeletePlacement(ctx context.Context, p Placement, options DeleteOptions) (*Result, error)
}

// CanChangeType reports whether an engine can change the type of a placement in place. If it cannot, another type replaces the placement.
func CanChangeType(e Placements, was, is placement.PlacementType) bool {
	of := func(t placement.PlacementType) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: t}}
	}
	return len(e.CheckChange(of(was), of(is))) == 0
}

// Reference names a thing that an engine keeps. Namespace is empty for a cluster-scoped one.
type Reference struct{ Namespace, Name string }

// String is how the thing is imported: NAMESPACE/NAME, or NAME.
func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// ParseReference reads what String returned.
func ParseReference(text string) Reference {
	namespace, name, found := strings.Cut(text, "/")
	if !found {
		return Reference{Name: text}
	}
	return Reference{Namespace: namespace, Name: name}
}

// Compare sorts by namespace and name; what is in none comes first.
func (r Reference) Compare(other Reference) int {
	return cmp.Or(strings.Compare(r.Namespace, other.Namespace), strings.Compare(r.Name, other.Name))
}

// Placement is a placement with what is known of it from the last time.
type Placement struct {
	Reference
	// FormerName is the name of the placement in the state, if it is another one: the placement is renamed. It is "" otherwise.
	FormerName string
	// ID is the identity of the resource that manages the placement, a UUID that it has for life; "" if it is not known, as in an import.
	ID        string
	Spec      placement.Spec
	Manifests map[string]string
	// WriteOnly are further manifests, under other keys. No state has them: they are not known when a placement is read or removed.
	WriteOnly map[string]string
	// TakesOverFrom are the placements that this one takes objects over from. Neither a state nor a record has them.
	TakesOverFrom []Giver
	// IgnoreFields are the fields that an apply creates and does not update. No record has them.
	IgnoreFields ignore.Rules
	// Prior is the status of the last time; nil for a new placement or one that is being imported.
	Prior *placement.Status
	// Key signs the records of the placement; nil if the state has none, as after an import. Records are then used without verification.
	Key Key
	// KeyIsNew reports that no record was signed with the key before: the records that exist are used without verification, and an apply signs them.
	KeyIsNew bool
}

// AllManifests are the manifests, write-only ones included.
func (p Placement) AllManifests() map[string]string {
	if len(p.WriteOnly) == 0 {
		return p.Manifests
	}
	out := maps.Clone(p.WriteOnly)
	maps.Copy(out, p.Manifests)
	return out
}

// Same tells whether two placements mean the same: their specs have the same JSON, their manifests the same content.
func (p Placement) Same(other Placement) bool {
	a, errA := json.Marshal(p.Spec)
	b, errB := json.Marshal(other.Spec)
	return errA == nil && errB == nil && bytes.Equal(a, b) && maps.EqualFunc(p.Manifests, other.Manifests, manifest.Equivalent)
}

// KnownUID is the UID of the object on a hub that the placement is, as it was read or written last; "" if it is not known.
func (p Placement) KnownUID() string {
	if p.Prior == nil {
		return ""
	}
	return p.Prior.UID
}

// PriorCluster is what is known of a cluster from the last time; nothing for a cluster that is not known.
func (p Placement) PriorCluster(name string) placement.ClusterStatus {
	if p.Prior == nil {
		return placement.ClusterStatus{}
	}
	return p.Prior.Clusters[name]
}

// PreviewOptions say how a preview is made.
type PreviewOptions struct {
	// Create says that the placement is new: one that exists already is an [ExistsError].
	Create bool
	// Replaces is the placement that is removed before this one is made, nil for none. The preview is made as if what that deletes were gone.
	Replaces *Placement
	// World is what the same run makes of the fleet before the placement is applied. The preview is made of the fleet as it is then.
	World World
	// Expected is what an earlier preview has found that the user agreed to; nil for none.
	Expected *Expectation
	// Takers are the placements of the same run that take objects over from this one.
	Takers Takers
	// Standing says that nothing of the placement is to change, so that nobody is shown more of the preview than what is pending. An engine may
	// leave out, where nothing is, what is dear to find out: scores of clusters that were picked before, and the order of a rollout.
	Standing bool
	// Applying says that an apply makes the preview before it writes. The dry runs of Expected's preview are not repeated for takeovers of objects that
	// have not changed since.
	Applying bool
}

// ApplyOptions say how a placement is applied.
type ApplyOptions struct {
	// Create says that the placement is new: it must not exist yet.
	Create bool
	// Expected is what the plan shows; nil for none. What it does not show is not done: engine direct skips such an object, and an engine of a hub
	// returns an error before its first write.
	Expected *Expectation
	// MayArrive reports whether another placement of the run may still bring one of the kinds. The apply waits for such kinds, and places their objects last.
	// Nil waits for none.
	MayArrive func(kinds []schema.GroupVersionKind) bool
	// Progress is told how the apply goes on, for the log; nil for nobody.
	Progress func(message string, fields map[string]any)
	// WaitUntilAvailable keeps the apply waiting until every object is available, or the context ends.
	WaitUntilAvailable bool
}

// DeleteOptions say how a placement is removed.
type DeleteOptions struct {
	// Expected is what the plan of the removal shows; nil for none. What it does not show is not deleted, and the removal does not complete.
	Expected *Expectation
	// Run reports what the same run does with other placements; nil if it keeps all of them. A preview expects the objects of those that are removed to be
	// gone. A removal waits for them before it deletes the Namespaces and definitions that they occupy.
	Run SameRun
	// Takers are the placements of the same run that take objects over from this one.
	Takers Takers
}

// Recorded is a placement as it is recorded on the clusters.
type Recorded struct {
	// ID is the identity of the resource that manages the placement, as it is recorded; "" for a record that has none.
	ID        string
	Spec      placement.Spec
	Manifests map[string]string
	// Generation is that of the spec on the hub, which conditions are told of; 0 for an engine whose status is always of the spec as it is.
	Generation int64
	// WriteOnly are the write-only manifests that are recorded. WriteOnlyObjects are the objects of those that are not recorded themselves.
	WriteOnly        map[string]string
	WriteOnlyObjects []manifest.Identifier
	Status           placement.Status
	// Withheld are the values and messages that the Status lacks; nil for none.
	Withheld *Withheld
	// Warning says why the status is the one of the last time, if it is.
	Warning string
	// Complete says that the recorded spec and manifests could be read; otherwise only the status is meaningful.
	Complete bool
	// Forgotten are the clusters that had objects of the placement, and that the status no longer has, because the provider has no connection to them any
	// more. Their objects remain.
	Forgotten []string
	// Trusted are the clusters whose records were used without verification, by name.
	Trusted []string
}
