package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Engine is one way of running a fleet.
type Engine interface {
	// Name is the value of the provider argument "engine".
	Name() string
	Members
	Envelopes
	Placements
	Overrides
}

// Members registers the clusters of the fleet.
type Members interface {
	// CheckMember tells whether the engine can register a member of that name; it asks no cluster.
	CheckMember(name string) error
	// ApplyMember registers a member or changes its registration. priorUID is the UID of the cluster it was registered with before, or
	// empty; when the cluster behind the connection is another one, nothing is written and the error is a [ClusterReplacedError].
	ApplyMember(ctx context.Context, spec member.Spec, priorUID string, create bool) (member.Status, error)
	// ReadMember returns the registration and the live status, or [ErrNotFound] when the member is proven not to be registered. An
	// unreachable member is an error of its own.
	ReadMember(ctx context.Context, name string) (member.Spec, member.Status, error)
	// ListMembers returns every cluster that the engine knows of, sorted by name; one that does not answer has an error and nothing else.
	ListMembers(ctx context.Context) ([]ListedMember, error)
	// DeleteMember ends the membership. What was placed on the cluster stays there.
	DeleteMember(ctx context.Context, name, priorUID string) error
}

// ListedMember is a cluster of the fleet.
type ListedMember struct {
	Spec   member.Spec
	Status member.Status
	// Joined tells whether the cluster is registered.
	Joined bool
	// Err is why it could not be looked at.
	Err error
}

// Envelopes keeps objects on the hub without letting them take effect there.
type Envelopes interface {
	// CheckEnvelopes tells whether the engine has a place for envelopes; it asks no cluster.
	CheckEnvelopes() error
	// ApplyEnvelope writes the envelope. With create it must not exist yet; without, uid is the one it was written with before.
	ApplyEnvelope(ctx context.Context, spec envelope.Spec, uid string, create bool) (EnvelopeState, error)
	// ReadEnvelope returns the envelope as it is, or [ErrNotFound].
	ReadEnvelope(ctx context.Context, namespace, name string) (EnvelopeState, error)
	// DeleteEnvelope removes the envelope with that UID; one that is gone, or was made anew by somebody else, is left alone.
	DeleteEnvelope(ctx context.Context, namespace, name, uid string) error
}

// EnvelopeState is an envelope as it is kept.
type EnvelopeState struct {
	Spec envelope.Spec
	UID  string
}

// Placements places objects on clusters.
type Placements interface {
	// Unsupported tells what the engine cannot express in a placement; it asks no cluster.
	Unsupported(request PlacementRequest) []*UnsupportedError
	// Preview tells what Apply would do now, without writing anything.
	Preview(ctx context.Context, request PlacementRequest) (*Preview, error)
	// ApplyPlacement makes the preview again and carries it out. The status is never nil after the first write; a non-nil error with a
	// status says what went wrong on the way.
	ApplyPlacement(ctx context.Context, request PlacementRequest) (*Result, error)
	// ReadPlacement returns the placement as it is recorded with its live status, or [ErrNotFound] when it is proven to be nowhere.
	ReadPlacement(ctx context.Context, request PlacementRequest) (*Recorded, error)
	// DeletePlacement removes what the placement created, releases what it adopted, and returns when it is gone.
	DeletePlacement(ctx context.Context, request PlacementRequest) (*Result, error)
}

// PlacementRequest is a placement with what is known of it from the last time.
type PlacementRequest struct {
	Name      string
	Spec      placement.Spec
	Manifests map[string]string
	// Create says that the placement is new: it must not exist yet.
	Create bool
	// Prior is the status of the last time; nil for a new placement or one that is being imported.
	Prior *placement.Status
	// ExpectMembers makes a preview take configured members that have not joined yet for ones that will: in a first apply, the members
	// join just before the placement is made.
	ExpectMembers bool
	// Expected is what a preview has found that the user agreed to; nil for none. An apply leaves an object alone that is not as it was then.
	Expected *Expectation
	// Progress is told how an apply goes on, for the log; nil for nobody.
	Progress func(message string, fields map[string]any)
	// WaitUntilAvailable keeps Apply waiting until every object is available, or the context ends.
	WaitUntilAvailable bool
}

// Result is what an operation left behind.
type Result struct {
	Status placement.Status
	// Warnings are things the user should know though the operation did what it could, such as a member that was left behind.
	Warnings []string
	// TimedOut says that the wait ended before every object was available.
	TimedOut bool
}

// Recorded is a placement as it is recorded on the clusters.
type Recorded struct {
	Spec      placement.Spec
	Manifests map[string]string
	Status    placement.Status
	// Warning says why the status is the one of the last time, if it is.
	Warning string
	// Complete says that the recorded spec and manifests could be read; otherwise only the status is meaningful.
	Complete bool
}

// ErrNotFound says that the thing is proven not to exist.
var ErrNotFound = errors.New("not found")

// ExistsError says that a new thing exists already.
type ExistsError struct {
	// What names the thing, Where the cluster it was found on, Import the ID to import it by.
	What, Where, Import string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s exists already on %s. Import it (ID %q) if this configuration is to manage it, or choose another name.",
		e.What, e.Where, e.Import)
}

// ClusterReplacedError says that another cluster answers where a known one did.
type ClusterReplacedError struct {
	Cluster, Was, Is string
}

func (e *ClusterReplacedError) Error() string {
	return fmt.Sprintf("another cluster answers for %q: its kube-system namespace has the UID %s, the one it was registered with has %s. "+
		"Nothing was written. Correct the connection, or, if the cluster was rebuilt, remove the member's fleet_member_cluster resource "+
		"from the state and apply again.", e.Cluster, e.Is, e.Was)
}

// UnsupportedError says that an engine cannot express something the user wrote.
type UnsupportedError struct {
	Path    placement.Path
	Message string
}

func (e *UnsupportedError) Error() string { return e.Message }

// NotConfiguredError says that the provider has no connection to a member.
type NotConfiguredError struct {
	Member string
	// Configured are the members that it has connections to.
	Configured []string
}

func (e *NotConfiguredError) Error() string {
	if len(e.Configured) == 0 {
		return fmt.Sprintf("the provider configuration has no members, so %q cannot be reached. Add it to the provider argument \"members\".", e.Member)
	}
	return fmt.Sprintf("the provider configuration has no member %q. Add a connection for it to the provider argument \"members\"; it has %s.",
		e.Member, strings.Join(e.Configured, ", "))
}

// UnreachableError says that a cluster did not answer.
type UnreachableError struct {
	Cluster string
	Err     error
}

func (e *UnreachableError) Error() string { return e.Err.Error() }
func (e *UnreachableError) Unwrap() error { return e.Err }

// NothingToPlaceError says that a placement has no source of objects.
type NothingToPlaceError struct{}

func (*NothingToPlaceError) Error() string {
	return "there is nothing to place: the provider has no hub to select objects from, and the placement has no manifests. " +
		"Configure \"hub\", or put the objects into \"manifests\"."
}

// NothingSelectedError says that a placement would place nothing at all.
type NothingSelectedError struct{ Placement string }

func (e *NothingSelectedError) Error() string {
	return fmt.Sprintf("the placement %q selects no object at all, so nothing was changed: applying it would only remove what an earlier "+
		"apply placed. Correct the resource selectors, or destroy the placement if that is what you want.", e.Placement)
}

// NoHubError says that an envelope has nowhere to be.
type NoHubError struct{}

func (*NoHubError) Error() string {
	return "the provider has no hub, so there is no cluster an envelope could be kept on. Put the envelope's manifests into the " +
		"\"manifests\" of the fleet_crp that places them; without a hub they take effect nowhere else."
}

// RemovalError says that objects could not be removed from a cluster.
type RemovalError struct {
	Cluster string
	Objects []placement.FailedPlacement
}

func (e *RemovalError) Error() string {
	lines := []string{fmt.Sprintf("%d object(s) could not be removed from %q; apply again to go on with the rest:", len(e.Objects), e.Cluster)}
	for _, object := range e.Objects {
		lines = append(lines, "  "+object.Identifier.String()+": "+object.Condition.Message)
	}
	return strings.Join(lines, "\n")
}

// SamePlacement tells whether two placements mean the same: their specs have the same JSON, their manifests the same content.
func SamePlacement(a placement.Spec, manifestsA map[string]string, b placement.Spec, manifestsB map[string]string) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB) && maps.EqualFunc(manifestsA, manifestsB, manifest.Equivalent)
}
