package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ErrNotFound says that the thing is proven not to exist.
var ErrNotFound = errors.New("not found")

// ExistsError says that a new thing exists already.
type ExistsError struct {
	// What names the thing, Where the cluster it was found on, Import the ID to import it by.
	What, Where, Import string
	// UnderWay is the operation that it says to be under way; nil for none.
	UnderWay *UnderWay
	// Adoptable says that what exists may be another system's, which a member can be managed beside.
	Adoptable bool
	// Owner is what the thing belongs to, if to something else: then it cannot be imported.
	Owner string
	// Mark is an annotation that it lacks and that has to be put on it before it is imported.
	Mark string
}

func (e *ExistsError) Error() string {
	if e.Owner != "" {
		return fmt.Sprintf("%s exists already on %s, and belongs to %s. Choose another name.", e.What, e.Where, e.Owner)
	}
	if e.Mark != "" {
		return fmt.Sprintf("%s exists already on %s, and nothing says whose it is. Choose another name. If this configuration is to manage it, annotate it "+
			"with %s, and import it (ID %q).", e.What, e.Where, e.Mark, e.Import)
	}
	text := fmt.Sprintf("%s exists already on %s. Import it (ID %q) if this configuration is to manage it, or choose another name.",
		e.What, e.Where, e.Import)
	if e.Adoptable {
		text += " If another system created it, as Azure creates the members of its fleets, set adopt_existing = true."
	}
	if e.UnderWay != nil {
		text += fmt.Sprintf(" %s of it that started%s has not finished: wait for it, unless it was killed.", e.UnderWay.what(), e.UnderWay.since())
	}
	return text
}

// NameTakenError is returned when a placement is to have the name of another one.
type NameTakenError struct {
	// Former is the name that the placement has, Name the one that it is to have, Where the clusters that have the other placement.
	Former, Name, Where string
}

func (e *NameTakenError) Error() string {
	return fmt.Sprintf("The placement %q cannot be renamed to %q: another placement of that name exists already on %s. Nothing was written. Choose another name. If "+
		"the other placement gets another name or is destroyed in the same run, apply that change first.", e.Former, e.Name, e.Where)
}

// MemberExists is the error of a new member that is registered already.
func MemberExists(name string) *ExistsError {
	return &ExistsError{What: fmt.Sprintf("A registration of member %q", name), Where: name, Import: name}
}

// ClusterReplacedError says that another cluster answers where a known one did.
type ClusterReplacedError struct {
	Cluster, Was, Is string
}

func (e *ClusterReplacedError) Error() string {
	return fmt.Sprintf("the connection of %q leads to another cluster: its kube-system namespace has the UID %s, and the registered cluster has %s. "+
		"Nothing was written. Correct the connection, or, if the cluster was rebuilt, remove the member's fleet_member_cluster resource from the "+
		"state and apply again.", e.Cluster, e.Is, e.Was)
}

// LimitationError is a [Limitation] that showed only when clusters were asked.
type LimitationError struct{ Limitation }

func (e *LimitationError) Error() string { return e.Message }

// NotServedError says that a hub does not serve a kind.
type NotServedError struct {
	Hub, Kind string
	// Product is the software of the control plane that has the kind.
	Product string
	// Fleet says that the hub serves others of KubeFleet.
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

// UnfollowedError says that a change is written, and that the hub cannot be asked what comes of it.
type UnfollowedError struct{ Err error }

func (e *UnfollowedError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *UnfollowedError) Unwrap() error { return e.Err }

// NotConfiguredError says that the provider has no connection to a member.
type NotConfiguredError struct {
	Member string
	// Configured are the members that it has connections to.
	Configured []string
}

func (e *NotConfiguredError) Error() string {
	if len(e.Configured) == 0 {
		return fmt.Sprintf("the provider has no connection to the member %q: its argument \"members\" is empty", e.Member)
	}
	return fmt.Sprintf("the provider has no connection to the member %q: its argument \"members\" has %s", e.Member, strings.Join(e.Configured, ", "))
}

// UnseenError says that a hub places objects on a member that the provider has no connection to, which is no fault: the hub needs none.
type UnseenError struct {
	Member string
	// Reported is what the hub said last of the placement there, in one word; empty if it said nothing.
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

// UnreachableError says that a cluster did not answer, or not with anything that can be used.
type UnreachableError struct {
	Cluster string
	Err     error
}

func (e *UnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns why it did not.
func (e *UnreachableError) Unwrap() error { return e.Err }

// MemberUnreachableError says that a member could not be asked of itself, because its cluster does not answer. A hub that does not answer for its
// members is none.
type MemberUnreachableError struct {
	Member string
	Err    error
	// Responds reports that the API server responds, and that nothing can be read there. A removal returns an error then.
	Responds bool
}

func (e *MemberUnreachableError) Error() string { return e.Err.Error() }

// Unwrap returns why it could not.
func (e *MemberUnreachableError) Unwrap() error { return e.Err }

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

// RemovalError says that objects could not be removed from a cluster.
type RemovalError struct {
	Cluster string
	Objects []placement.FailedPlacement
}

func (e *RemovalError) Error() string {
	lines := []string{fmt.Sprintf("%d object(s) could not be removed from %q; apply again to remove the rest:", len(e.Objects), e.Cluster)}
	for _, object := range e.Objects {
		lines = append(lines, "  "+object.Identifier.String()+": "+object.Condition.Message)
	}
	return strings.Join(lines, "\n")
}
