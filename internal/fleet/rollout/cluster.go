package rollout

import "time"

// Change is the change that has not started on a cluster yet.
type Change string

// The changes. Once a creation or an update has started, the cluster's change is None. A removal remains Remove until all objects are deleted.
const (
	// None: the cluster has the newest version, or its change to this version has started. In KubeFleet, the binding is Bound and up to date.
	None Change = "None"
	// Create: the placement is new to the cluster. In KubeFleet, the binding is Scheduled.
	Create Change = "Create"
	// Update: the cluster has another version, or an apply was interrupted there. In KubeFleet, the binding is Bound and out of date.
	Update Change = "Update"
	// Remove: the placement must be removed from the cluster. In KubeFleet, the binding is Unscheduled.
	Remove Change = "Remove"
)

// Values lists the values in the order in which they are documented.
func (Change) Values() []string { return []string{"None", "Create", "Update", "Remove"} }

// State is the state of the version on a cluster. For a cluster without the placement, only Unreachable and Removing are meaningful.
type State string

const (
	// Ready: all objects are applied and none is known to be unavailable; see [Cluster.Trackable].
	Ready State = "Ready"
	// Reported: differences were reported and nothing was written (apply type ReportDiff). The cluster counts as working, and does not count for
	// max_surge.
	Reported State = "Reported"
	// Applying: objects are being written.
	Applying State = "Applying"
	// NotReady: all objects are applied, and one is not available yet or any more.
	NotReady State = "NotReady"
	// Failing: an object could not be applied, or will not become available without intervention.
	Failing State = "Failing"
	// Unreachable: the state of the cluster is unknown, and nothing can be written to it.
	Unreachable State = "Unreachable"
	// Removing: objects are being deleted.
	Removing State = "Removing"
)

// Values lists the values in the order in which they are documented.
func (State) Values() []string {
	return []string{"Ready", "Reported", "Applying", "NotReady", "Failing", "Unreachable", "Removing"}
}

// Cluster is a cluster that has the placement or will have it. Its name is unique.
type Cluster struct {
	Name   string
	Change Change
	State  State
	// Trackable reports whether the availability of all objects of a Ready cluster is known. If it is not, the cluster counts as working only
	// after the unavailable period.
	Trackable bool
	// AvailableSince is when the cluster first became Ready with its version; it matters only without Trackable. KubeFleet measures the unavailable period from
	// the last transition of the binding's condition Available. It replaces this condition each time it writes the binding's status, so the period restarts.
	AvailableSince time.Time
}

type clusterStatus int

const (
	statusAbsent clusterStatus = iota
	statusWorking
	statusProving // is available, and counts as working after the unavailable period
	statusBroken  // is unavailable, and may become available
	statusFailing // is unavailable, and will not become available
	statusUnreachable
	statusRemoving
)

func (c Cluster) evaluate(s Settings, now time.Time) (clusterStatus, time.Duration) {
	switch {
	case c.State == Unreachable:
		return statusUnreachable, 0
	case c.State == Removing:
		return statusRemoving, 0
	case c.Change == Create:
		return statusAbsent, 0
	case c.State == Reported:
		return statusWorking, 0
	case c.State == Failing:
		return statusFailing, 0
	case c.State != Ready:
		return statusBroken, 0
	case c.Trackable:
		return statusWorking, 0
	}
	// As in KubeFleet, the objects must be available for longer than the period. Sub saturates, so any time is valid.
	if wait := c.AvailableSince.Sub(now.Add(-s.UnavailablePeriod)); wait >= 0 {
		return statusProving, wait
	}
	return statusWorking, 0
}

// isOccupied reports whether the cluster counts for max_surge: it may have objects, is not Reported, and does not fail.
func (c Cluster) isOccupied(status clusterStatus) bool {
	return c.Change != Create && c.State != Reported && status != statusFailing || status == statusRemoving
}
