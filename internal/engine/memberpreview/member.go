package memberpreview

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Ownership tells whose an object on the member is, and what is known of it from the last apply.
type Ownership interface {
	// Owns tells whether an object that is there is the placement's own.
	Owns(o *Object) bool
	// Owner tells who else looks after it.
	Owner(live *unstructured.Unstructured) takeover.Owner
	// References are its owner references without the placement's own, and without those of KubeFleet whose Work is gone.
	References(live *unstructured.Unstructured) []metav1.OwnerReference
	// Marked tells whether the object itself says that it is the placement's own.
	Marked(o *Object) bool
	// Applied tells whether it is the very object that the last apply wrote, and from the same content.
	Applied(o *Object) bool
	// UpToDate tells whether, besides, nobody has changed it since: there is nothing to do and nothing to ask.
	UpToDate(o *Object) bool
	// LastSeen lets the content of an object be left out that is still as it was seen then; the zero value wants all of it.
	LastSeen(o *Object) kube.Seen
}

// Writer writes objects as the engine's apply does; a preview calls it for dry runs. Only the API server knows its defaults, what its
// admission rules change, and whether it will accept an object at all.
type Writer interface {
	Write(ctx context.Context, o *Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error)
	// Changes returns what a write changes of an object that is there, as far as that can be known without the API server. set are the fields that
	// a server-side apply sets, and those in what it replaces as a whole.
	Changes(schema diff.Schema, o *Object, action takeover.Action, set []diff.Difference) []diff.Difference
	// Conflicts returns the fields of other managers for which the API server rejects a write of an object that exists, as far as that can be known
	// without the API server.
	Conflicts(schema diff.Schema, o *Object, action takeover.Action) []diff.Conflict
}

// Member is one member as a placement looks at it.
type Member struct {
	Cluster *kube.Cluster
	// Schema is that of the kinds that are built in; nil knows none.
	Schema    diff.Schema
	Ownership Ownership
	Writer    Writer
	// Strategy has its defaults filled in.
	Strategy placement.ApplyStrategy
	// Expected is what the user agreed to, nil for nothing.
	Expected *engine.Expectation
	// Defines tells the kinds that come with the placement; nil for none.
	Defines func(schema.GroupVersionKind) bool
	// Brings returns the other placement of the run that brings a kind, "" if none is known to; nil for none.
	Brings func(schema.GroupVersionKind) (placement string)
	// Namespaces are those that other placements of the run create, with the names of these placements.
	Namespaces map[string]string
	// AwaitsKinds says that an apply waits for kinds that are not served, whether anything is known to bring them or not.
	AwaitsKinds bool
	// DryRun makes the writes as dry runs, to know what will come of them; an apply, which makes them in earnest, does not.
	DryRun bool
	// Applying says that an apply follows, which does not repeat the dry runs of Expected's preview.
	Applying bool
	// IntoDeleted says that also objects are written to that are being deleted, as KubeFleet's agents do: what is written is lost with them.
	IntoDeleted bool
	// Gone tells of an object that will be gone before anything is written; nil for none.
	Gone func(id manifest.Identifier, live *unstructured.Unstructured) bool
	// Given returns how another placement hands an object over to this one; nil if none does. It is called for objects that are not the placement's own.
	Given func(o *Object) *engine.Given
	// GivenAsPlaced reports whether the giver has written an object from what is to be placed, so that drifts keep the object from being written once it is the
	// placement's own; nil for an engine that always writes what is handed over.
	GivenAsPlaced func(o *Object) bool
	// Unavailable are the objects that were not available when they were read last.
	Unavailable map[manifest.Key]bool
	// FieldManager is that of a comparison's dry runs; empty for the connection's own.
	FieldManager string

	look      engine.Look
	allowed   map[kube.Check]bool
	admission admission
	// confirmed are the rights that were asked for again.
	confirming sync.Mutex
	confirmed  map[kube.Check]func() (bool, error)
	// unserved are the kinds that discovery does not tell of, with what keeps that from being proof.
	unserved map[schema.GroupKind]error
	// arriving are the namespaces that the placement, or another one of the run, creates.
	arriving map[string]bool
}

// Look is how the member was looked at.
func (m *Member) Look() engine.Look {
	if m.look == "" {
		return engine.LookReadOnly
	}
	return m.look
}

func (m *Member) reports() bool { return m.Strategy.Type == placement.ReportDiff }

func (m *Member) comparesInFull() bool {
	return m.Strategy.ComparisonOption == placement.FullComparison
}

// Object is one object on the member, with what is found out about it.
type Object struct {
	// ObjectPreview has the identity of the object from the start, and the rest once it is decided about.
	engine.ObjectPreview
	// Desired is the object as it is sent, shared by all members; nil for one that is no longer placed. Hash is that of its content.
	Desired *unstructured.Unstructured
	Hash    string
	// Ignored are the fields of Desired that remain as they are on the member; see [ignore.ParseField].
	Ignored []string
	// configured is Desired before the ignored fields were those of Live.
	configured *unstructured.Unstructured
	// Hidden are values of the object that are not shown.
	Hidden diff.Hidden

	// Mapping is where the member serves it; empty for a kind that is not served.
	Mapping kube.Mapping
	// Live is the object as it is; nil if there is none. Glimpsed says that it is what was last seen, and has no content here.
	Live     *unstructured.Unstructured
	Glimpsed bool
	// Goes says that there is one, which will be gone before anything is written.
	Goes bool
	// Unseen is why it could not be looked at.
	Unseen error
}

// Served tells whether the member serves the object's kind.
func (o *Object) Served() bool { return o.Mapping.GVR.Resource != "" }

// IsNamespace tells whether the object is a Namespace.
func (o *Object) IsNamespace() bool { return o.Group == "" && o.Kind == "Namespace" }

// Undisputed tells whether nothing about the object as it is would matter to a decision but its content: nobody else owns it too, and it is
// not about to vanish.
func (o *Object) Undisputed() bool {
	return o.Live.GetDeletionTimestamp() == nil && len(o.Live.GetOwnerReferences()) == 0
}
