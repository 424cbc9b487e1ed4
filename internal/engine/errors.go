package engine

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ErrNotFound is returned when the object is proven not to exist.
var ErrNotFound = errors.New("not found")

// ExistsError is returned when an object that is to be created already exists.
type ExistsError struct {
	// What names the object, Where the cluster that has it, and Import its import ID.
	What, Where, Import string
	// Operation is the operation in progress according to the object's record; nil for none.
	Operation *OperationInProgress
	// Adoptable reports whether another system may have created the object, so that the provider and this system can manage the member together.
	Adoptable bool
	// Owner is the owner of an object that cannot be imported because it belongs to something else; "" for other objects.
	Owner string
	// Mark is the missing annotation that the user has to set on the object before the import; "" if none is missing.
	Mark string
	// Otherwise says what to do if another configuration is to manage the object; "" means to choose another name.
	Otherwise string
}

func (e *ExistsError) Error() string {
	if e.Owner != "" {
		return fmt.Sprintf("%s exists already on %s, and belongs to %s. Choose another name.", e.What, e.Where, e.Owner)
	}
	if e.Mark != "" {
		return fmt.Sprintf("%s exists already on %s, and its manager is unknown. To manage it with this configuration, annotate it with %s, and "+
			"import it (ID %q). Otherwise, choose another name.", e.What, e.Where, e.Mark, e.Import)
	}
	text := fmt.Sprintf("%s exists already on %s. Import it (ID %q) if this configuration is to manage it, or %s.",
		e.What, e.Where, e.Import, cmp.Or(e.Otherwise, "choose another name"))
	if e.Adoptable {
		text += " If another system created it, as Azure creates the members of its fleets, set adopt_existing = true."
	}
	if e.Operation != nil {
		text += fmt.Sprintf(" %s of it that started%s has not finished: wait for it, unless it was killed.", e.Operation.what(), e.Operation.since())
	}
	return text
}

// NameTakenError is returned when a placement is renamed to the name of another placement.
type NameTakenError struct {
	// Former is the current name of the placement, Name the new one, and Where the clusters that have the other placement.
	Former, Name, Where string
}

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("The placement %q cannot be renamed to %q: another placement of that name exists already on %s. Nothing was written. Choose another name. If "+
		"the other placement gets another name or is destroyed in the same run, apply that change first.", e.Former, e.Name, e.Where)
}

// MemberExists returns the error about a new member that is already registered.
func MemberExists(name string) *ExistsError {
	return &ExistsError{
		What: fmt.Sprintf("A registration of member %q", name), Where: name, Import: name,
		Otherwise: "remove this resource if another configuration registers the member: placements do not need it",
	}
}

// ClusterReplacedError is returned when a connection leads to another cluster than before. Was and Is are the UIDs of the kube-system Namespace of the
// registered cluster and of the current one.
type ClusterReplacedError struct {
	Cluster, Was, Is string
}

func (e *ClusterReplacedError) Error() string {
	return fmt.Sprintf("the connection of %q leads to another cluster: its kube-system namespace has the UID %s, and the registered cluster has %s. "+
		"Nothing was written. Correct the connection, or, if the cluster was rebuilt, remove the member's fleet_member_cluster resource from the "+
		"state and apply again.", e.Cluster, e.Is, e.Was)
}

// LimitationError is a [Limitation] as an error.
type LimitationError struct{ Limitation }

func (e *LimitationError) Error() string { return e.Message }

// NotServedError is returned when a hub does not serve a kind.
type NotServedError struct {
	Hub, Kind string
	// Product is the control plane software that has the kind.
	Product string
	// Fleet reports whether the hub serves other KubeFleet kinds.
	Fleet bool
}

func (e *NotServedError) Error() string {
	if e.Fleet {
		return fmt.Sprintf("the cluster %q is a hub of KubeFleet and does not serve %s: its version is too old, or it was installed without this "+
			"kind. Upgrade KubeFleet there, or install this CustomResourceDefinition and enable its controller", e.Hub, e.Kind)
	}
	return fmt.Sprintf("the cluster %q does not serve %s: it does not run the control plane of %[3]s, or the "+
		"CustomResourceDefinitions are not installed. Correct the provider argument \"hub\", install %[3]s, or use engine = \"direct\"", e.Hub, e.Kind, e.Product)
}

// UnfollowedError is returned when a change is written, but its result cannot be read from the hub.
type UnfollowedError struct{ Err error }

func (e *UnfollowedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnfollowedError) Unwrap() error { return e.Err }

// NotConfiguredError is returned when the provider has no connection to a member.
type NotConfiguredError struct {
	Member string
	// Configured are the members with a connection.
	Configured []string
}

func (e *NotConfiguredError) Error() string {
	if len(e.Configured) == 0 {
		return fmt.Sprintf("the provider has no connection to the member %q: its argument \"members\" is empty", e.Member)
	}
	return fmt.Sprintf("the provider has no connection to the member %q: its argument \"members\" has %s", e.Member, strings.Join(e.Configured, ", "))
}

// UnseenError means that a hub places objects on a member to which the provider has no connection. This is not a fault, because the hub does not need the
// provider's connection.
type UnseenError struct {
	Member string
	// Reported is the phase of the placement on the member that the hub last reported; empty if it reported none.
	Reported placement.Phase
}

func (e *UnseenError) Error() string {
	text := fmt.Sprintf("the provider has no connection to the member %q, so its objects were not checked. To have them checked, add the member to the "+
		"provider argument \"members\".", e.Member)
	if e.Reported != "" {
		text += fmt.Sprintf(" The hub reported last: %s.", e.Reported)
	}
	return text
}

// UnreachableError is returned when a cluster did not respond, or its response was unusable.
type UnreachableError struct {
	Cluster string
	Err     error
}

func (e *UnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// MemberUnreachableError is returned when nothing can be read from the cluster of a member. For a hub, the error is an [UnreachableError].
type MemberUnreachableError struct {
	Member string
	Err    error
	// Responds means that the API server responds, but nothing can be read from it. A removal then returns an error.
	Responds bool
}

func (e *MemberUnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *MemberUnreachableError) Unwrap() error { return e.Err }

// NothingToPlaceError is returned when a placement has no source of objects.
type NothingToPlaceError struct{}

func (*NothingToPlaceError) Error() string {
	return "there is nothing to place: the provider has no hub to select objects from, and the placement has no manifests. " +
		"Configure \"hub\", or put the objects into \"manifests\"."
}

// NothingSelectedError is returned when a placement selects no object.
type NothingSelectedError struct{ Placement string }

func (e *NothingSelectedError) Error() string {
	return fmt.Sprintf("the placement %q selects no object, so nothing was changed: an apply would only remove the objects of an earlier apply. "+
		"Correct the resource selectors, or destroy the placement.", e.Placement)
}

// RemovalError is returned when objects could not be removed from a cluster.
type RemovalError struct {
	Cluster string
	Objects []placement.FailedPlacement
}

func (e *RemovalError) Error() string {
	lines := []string{fmt.Sprintf("%d object(s) could not be removed from %q; run the same destroy or removal again for the rest:", len(e.Objects), e.Cluster)}
	for _, object := range e.Objects {
		lines = append(lines, "  "+object.Identifier.String()+": "+object.Condition.Message)
	}
	return strings.Join(lines, "\n")
}
