package engine

import (
	"fmt"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Operation is a kind of change to a placement.
type Operation string

// The operations.
const (
	OperationApply   Operation = "apply"
	OperationRemoval Operation = "removal"
)

// Values lists the operations.
func (Operation) Values() []string { return []string{string(OperationApply), string(OperationRemoval)} }

// OperationInProgress is an operation that is in progress according to a placement's record.
type OperationInProgress struct {
	Operation Operation
	// Cluster is the cluster of the record.
	Cluster string
	// Began is when the operation started. Renewed is when it last updated its entry in the record, to show that it is still running. Both are times by the
	// clock of the operation's process; zero if unknown.
	Began, Renewed time.Time
}

func (u OperationInProgress) what() string {
	if u.Operation == OperationRemoval {
		return "A removal"
	}
	return "An apply"
}

func (u OperationInProgress) since() string {
	if u.Began.IsZero() {
		return ""
	}
	return " at " + u.Began.UTC().Format(time.RFC3339)
}

// String returns a sentence about the operation.
func (u OperationInProgress) String() string {
	return fmt.Sprintf("%s that started%s has not finished, according to the placement's record on cluster %q", u.what(), u.since(), u.Cluster)
}

// BusyError is returned when another operation on the placement is in progress, or has just ended. Nothing was changed, unless Lost or Left is set.
type BusyError struct {
	Placement, Cluster string
	// InProgress is the other operation. It is nil if the changed record does not show the operation.
	InProgress *OperationInProgress
	// Lost means that the other operation has taken over the placement, because this operation did not update its entry in the record in time.
	Lost bool
	// Left are the objects that this operation has created and that are not in the record of the other operation.
	Left []manifest.Identifier
	Err  error
}

func (e *BusyError) Error() string {
	text := fmt.Sprintf("another apply of the placement %q is in progress, or has just finished: its record on cluster %q was changed during this "+
		"operation.",
		e.Placement, e.Cluster)
	if e.InProgress != nil {
		operation := "apply"
		if e.InProgress.Operation == OperationRemoval {
			operation = "removal"
		}
		text = fmt.Sprintf("another %s of the placement %q is in progress, or has just finished: it started%s, according to the placement's record "+
			"on cluster %q.",
			operation, e.Placement, e.InProgress.since(), e.Cluster)
	}
	if e.Lost {
		text += " This operation did not update its entry in the record in time. The other operation considered it dead, so this operation stopped. The " +
			"objects that it had written remain, and the other operation continues with them."
	}
	if len(e.Left) > 0 {
		text += fmt.Sprintf(" This operation created %d object(s) that are not in the record of the other operation. They remain on the cluster: %s.",
			len(e.Left), Some(e.Left))
	}
	text += " Apply again when the other operation has finished."
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

// Unwrap returns Err.
func (e *BusyError) Unwrap() error { return e.Err }

// ManagedElsewhereError is returned when the record of a placement, a member or an override belongs to another resource.
type ManagedElsewhereError struct {
	// What names the thing, Cluster the cluster of its record, Import its import ID.
	What, Cluster, Import string
	// Theirs is the ID in the record, and Ours the ID of the resource.
	Theirs, Ours string
	// Record names the record on the cluster. The user may delete the record if it comes from a backup. It is empty if the record must not be deleted.
	Record string
	// Objects means that objects on the cluster belong to the record, as for a placement.
	Objects bool
}

func (e *ManagedElsewhereError) Error() string {
	text := fmt.Sprintf("%s is managed by another configuration: its record on cluster %q has the resource ID %s, and this resource has %s. It has "+
		"been removed and recreated since, or another state manages it. Nothing was written. Remove the resource from this state (terraform state "+
		"rm). Then import it (ID %q) if this configuration is to manage it, or choose another name.",
		e.What, e.Cluster, e.Theirs, e.Ours, e.Import)
	if e.Record != "" {
		text += fmt.Sprintf(" If the cluster %q was restored from a backup, or the record was edited, delete the %s there and apply again.", e.Cluster, e.Record)
		if e.Objects {
			text += " The placement's objects on that cluster remain, and then count as pre-existing."
		}
	}
	return text
}

// Some returns the first objects and the number of the rest as text.
func Some[T fmt.Stringer](objects []T) string {
	names := make([]string, len(objects))
	for i, object := range objects {
		names[i] = object.String()
	}
	return words.First(names, 10)
}
