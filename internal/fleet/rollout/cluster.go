package rollout

import "time"

// Change is what has yet to be started on a cluster.
type Change string

// The changes. Once a creation or an update is started, the cluster's change is None; a removal stays one until the cluster is clean.
const (
	// None: the cluster is at the newest version, or on its way there. Upstream's Bound and up to date.
	None Change = "None"
	// Create: the placement is new to the cluster. Upstream's Scheduled.
	Create Change = "Create"
	// Update: the cluster has another version, or a started one that nobody carries on with. Upstream's Bound and out of date.
	Update Change = "Update"
	// Remove: the placement has to leave the cluster. Upstream's Unscheduled.
	Remove Change = "Remove"
)

// Values lists the values in the order in which they are documented.
func (Change) Values() []string { return []string{"None", "Create", "Update", "Remove"} }

// State is what a cluster makes of the version that it has. For a cluster without the placement only Unreachable and Removing mean
// something.
type State string

// The states.
const (
	// Ready: all objects are applied and none is known not to be available; see [Cluster.Trackable].
	Ready State = "Ready"
	// Reported: differences were reported and nothing was written (apply type ReportDiff). It counts as ready and takes no place.
	Reported State = "Reported"
	// Applying: objects are being written.
	Applying State = "Applying"
	// NotReady: all objects are applied and one is not available, yet or any more.
	NotReady State = "NotReady"
	// Failing: an object could not be applied, or does not become available; without help it will not.
	Failing State = "Failing"
	// Unreachable: nothing is known of the cluster, and nothing can be done there.
	Unreachable State = "Unreachable"
	// Removing: objects are being deleted.
	Removing State = "Removing"
)

// Values lists the values in the order in which they are documented.
func (State) Values() []string {
	return []string{"Ready", "Reported", "Applying", "NotReady", "Failing", "Unreachable", "Removing"}
}

// Cluster is a cluster that has the placement or is to have it. Its name is unique.
type Cluster struct {
	Name   string
	Change Change
	State  State
	// Trackable tells of a Ready cluster that the availability of all its objects is known. If it is not, the cluster counts as working only
	// after the unavailable period.
	Trackable bool
	// AvailableSince is when the cluster became Ready with the version it has; it matters only without Trackable. Upstream starts anew each
	// time it writes the condition; here it is the first time.
	AvailableSince time.Time
}

// standing is what the budget makes of a cluster.
type standing int

const (
	absent  standing = iota // has no placement yet
	working                 // does its work
	proving                 // is available, and has to stay so for a while before it counts
	broken                  // is not available, and may yet be
	failing                 // is not available, and will not be
	lost                    // cannot be reached
	leaving                 // is being emptied
)

// judge returns the standing of a cluster and, for a proving one, how long it has to go on.
func (c Cluster) judge(s Settings, now time.Time) (standing, time.Duration) {
	switch {
	case c.State == Unreachable:
		return lost, 0
	case c.State == Removing:
		return leaving, 0
	case c.Change == Create:
		return absent, 0
	case c.State == Reported:
		return working, 0
	case c.State == Failing:
		return failing, 0
	case c.State != Ready:
		return broken, 0
	case c.Trackable:
		return working, 0
	}
	// Like upstream, exactly the period is not enough. Both steps saturate, so that no time is too far away.
	if wait := c.AvailableSince.Sub(now.Add(-s.UnavailablePeriod)); wait >= 0 {
		return proving, wait
	}
	return working, 0
}

// occupies tells whether the cluster counts for max_surge: whatever may have objects there and has not failed.
func (c Cluster) occupies(is standing) bool {
	return c.Change != Create && c.State != Reported && is != failing || is == leaving
}
