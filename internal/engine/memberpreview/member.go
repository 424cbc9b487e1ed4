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

// Ownership determines which objects on the member the placement owns, and what the last apply recorded about them.
type Ownership interface {
	// Owns reports whether the placement owns an existing object.
	Owns(o *Object) bool
	// Owner returns the owner of an object, apart from the placement itself.
	Owner(live *unstructured.Unstructured) takeover.Owner
	// References returns the owner references that count as other owners of the object.
	References(live *unstructured.Unstructured) []metav1.OwnerReference
	// Marked reports whether the object has the mark of the placement, such as a label.
	Marked(o *Object) bool
	// Applied reports whether the last apply wrote this object, with the content that is to be placed.
	Applied(o *Object) bool
	// UpToDate reports whether Applied is true and the object has not changed since the last apply, so that it needs neither a write nor a check.
	UpToDate(o *Object) bool
	// LastSeen returns the version that the object had after the last apply. If the object still has this version, its content need not be read. If LastSeen
	// returns the zero value, the content is always read.
	LastSeen(o *Object) kube.Seen
}

// Writer writes objects as the engine's apply does. A preview calls it for dry runs: only the API server sets its defaults, applies its admission rules, and
// accepts or rejects an object.
type Writer interface {
	// Write performs the action, or only a dry run of it, and returns the object that the API server returned.
	Write(ctx context.Context, o *Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error)
	// Changes returns what a write changes in an existing object, as far as known without the API server. set are the fields that a
	// server-side apply sets, including those in lists and maps that it replaces as a whole.
	Changes(schema diff.Schema, o *Object, action takeover.Action, set []diff.Difference) []diff.Difference
	// Conflicts returns the fields of other managers for which the API server rejects a write of an existing object, as far as known
	// without the API server.
	Conflicts(schema diff.Schema, o *Object, action takeover.Action) []diff.Conflict
	// LastApplied returns the configuration that the last client-side apply stored in an existing object, nil if there is none or the next write ignores it.
	LastApplied(live *unstructured.Unstructured) *unstructured.Unstructured
	// Removals returns the fields that a write removes from an existing object, as far as known without the API server. They include defaults that the API
	// server sets again. If isWhole is false, a dry run can find more.
	Removals(schema diff.Schema, o *Object, action takeover.Action) (removals []diff.Difference, isWhole bool)
}

// Member is one member from the point of view of a placement.
type Member struct {
	Cluster *kube.Cluster
	// Schema is the schema of the built-in kinds. If it is nil, no kind has a known schema.
	Schema    diff.Schema
	Ownership Ownership
	Writer    Writer
	// Strategy has its defaults set.
	Strategy placement.ApplyStrategy
	// Expected is what the user agreed to, or nil.
	Expected *engine.Expectation
	// Defines reports whether the placement defines a kind; nil if it defines none.
	Defines func(schema.GroupVersionKind) bool
	// ProviderOfKind returns the other placement of the same run that creates a kind, or "" if none is known. It is nil if no placement creates kinds.
	ProviderOfKind func(schema.GroupVersionKind) (placement string)
	// Namespaces are the namespaces that other placements of the run create, with the names of these placements.
	Namespaces map[string]string
	// AwaitsKinds means that an apply waits for kinds that are not served, even if no known placement defines them.
	AwaitsKinds bool
	// DryRun sends the writes as dry runs to predict their results. The engine direct does not set it in an apply, which sends the real writes.
	DryRun bool
	// Applying means that an apply decides about the objects. If Expected has the action and the object has not changed since the plan, the apply skips the dry
	// run.
	Applying bool
	// Replaces means that the engine replaces objects when it takes them over, so all fields of the member's object matter. The engine itself determines the
	// differences of its takeovers.
	Replaces bool
	// WritesToTerminating means that the engine also writes to objects that are being deleted, as KubeFleet's agents do. Such a write is lost with the object.
	WritesToTerminating bool
	// WillBeGone reports whether an object will be deleted before anything is written; nil if no object will.
	WillBeGone func(id manifest.Identifier, live *unstructured.Unstructured) bool
	// WillBeOrphaned reports whether an object will lose its last applied configuration before anything is written; nil if no object will.
	WillBeOrphaned func(live *unstructured.Unstructured) bool
	// Given returns how another placement hands an object over to this one, or nil if none does. It is called for objects that the placement
	// does not own.
	Given func(o *Object) *engine.Given
	// GivenAsPlaced reports whether the placement that hands the object over wrote it with the content that is to be placed. If it did and the strategy
	// writes only objects that have not drifted, a drifted object is handed over and not written. GivenAsPlaced is nil for an engine that always writes objects
	// that are handed over.
	GivenAsPlaced func(o *Object) bool
	// Unavailable are the objects that were not available at the last read.
	Unavailable map[manifest.Key]bool
	// FieldManager is the field manager of a comparison's dry runs. If it is empty, the field manager of the connection is used.
	FieldManager string

	// permissionMu guards checkMethod, allowed and confirmed while objects are decided in parallel: an object that is read again can need another permission.
	// allowed has the answers to access reviews, and is nil if there are none. confirmed are the permissions that were checked again without the cache.
	permissionMu sync.Mutex
	checkMethod  engine.CheckMethod
	allowed      map[kube.Check]bool
	confirmed    map[kube.Check]func() (bool, error)
	admission    admission
	// unserved are the kinds that discovery does not list. The value is the reason why objects of the kind may still exist, or nil if there are none.
	unserved map[schema.GroupKind]error
	// arriving reports, by name, whether the placement or another placement of the run creates a namespace.
	arriving map[string]bool
}

// CheckMethod returns how the member was checked.
func (m *Member) CheckMethod() engine.CheckMethod {
	if m.checkMethod == "" {
		return engine.CheckReadOnly
	}
	return m.checkMethod
}

func (m *Member) isReportDiff() bool { return m.Strategy.Type == placement.ReportDiff }

// Object is one object on the member and what is known about it.
type Object struct {
	// ObjectPreview has the identity of the object from the start, and the rest after the decision.
	engine.ObjectPreview
	// Desired is the object to send; nil for an object that is no longer placed. Members can share it, so it must not be changed. Hash is the hash of its content.
	Desired *unstructured.Unstructured
	Hash    string
	// Ignored are the fields of Desired that keep their values on the member; see [ignore.ParseField].
	Ignored []string
	// KeepsAutoscaled means that Ignored also has fields in which an apply keeps the value of an autoscaler, because its plan did not show them as changed.
	KeepsAutoscaled bool
	// configured is Desired before align changed the ignored fields.
	configured *unstructured.Unstructured
	// Hidden are values of the object that are not shown.
	Hidden diff.Hidden

	// Mapping is the REST mapping of the object on the member. It is empty for a kind that is not served.
	Mapping kube.Mapping
	// Live is the existing object, or nil. Glimpsed means that Live has the version that [Ownership.LastSeen] returns, and that its content may be missing.
	Live     *unstructured.Unstructured
	Glimpsed bool
	// WillBeGone means that the object exists now and will be deleted before anything is written. Live is then nil.
	WillBeGone bool
	// Unseen is the reason why the object could not be read.
	Unseen error
}

// Served reports whether the member serves the object's kind.
func (o *Object) Served() bool { return o.Mapping.GVR.Resource != "" }

// IsGone reports whether a write failed because the object, which existed when it was read, does not exist any more.
func (o *Object) IsGone(err error) bool {
	return o.Live != nil && kube.IsObjectNotFound(err, o.Mapping.GVR.Resource, o.Name)
}

// Undisputed reports whether only the content of the live object can matter to a decision: it has no owner references, and is not being deleted.
func (o *Object) Undisputed() bool {
	return o.Live.GetDeletionTimestamp() == nil && len(o.Live.GetOwnerReferences()) == 0
}
