package engine

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A hand-over moves an object from one placement of a configuration to another one without deleting it. The taking placement is planned and
// applied first. Its plan reads the records of the giving placements, but cannot verify them. The plan of each giving placement verifies its own records, with the
// key in its state.

// Giver is a placement from which another one takes objects over.
type Giver struct {
	Name string
	// Removed means that no resource manages the placement any more, so that the taking placement also removes the objects from this placement's record.
	Removed bool
}

// Given describes an object that a placement takes over, as recorded by the placement that hands it over.
type Given struct {
	From string
	UID  types.UID
	// Created means that the giving placement created the object. Later removals treat the object as created by the taking placement.
	Created bool
	// Removed is Giver.Removed.
	Removed bool
}

// String returns the properties of the hand-over that an apply must find unchanged.
func (g Given) String() string { return fmt.Sprintf("from %s, created %t", g.From, g.Created) }

// Takers are the placements of a run that take objects over from one placement.
type Takers []Taker

// Taker is a placement that takes objects over from another one.
type Taker struct {
	Name string
	// Removed is Giver.Removed.
	Removed bool
	// objects are the objects that the taker takes over, by cluster. The map is nil for a placement that could not be previewed.
	objects map[string]map[manifest.Key]Given
	// unchecked are the clusters that could not be checked: objects there may be taken over. unread are the objects that could not be read, by cluster. places
	// are all objects in the preview, including the selected ones.
	unchecked map[string]bool
	unread    map[string]map[manifest.Key]bool
	places    map[manifest.Key]bool
}

// NewTaker returns the taker for a placement that takes objects over from a giver. preview is the placement's preview. If preview is nil, the placement may take
// over any object.
func NewTaker(name string, from Giver, preview *Preview) Taker {
	out := Taker{Name: name, Removed: from.Removed}
	if preview == nil {
		return out
	}
	out.objects, out.unchecked, out.places = map[string]map[manifest.Key]Given{}, map[string]bool{}, map[manifest.Key]bool{}
	out.unread = map[string]map[manifest.Key]bool{}
	for _, id := range preview.Selected {
		out.places[id.Key()] = true
	}
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			out.unchecked[cluster.Name] = true
		}
		for _, o := range cluster.Objects {
			out.places[o.Key()] = true
			if o.Obstacle == takeover.ObstacleNotReadable {
				if out.unread[cluster.Name] == nil {
					out.unread[cluster.Name] = map[manifest.Key]bool{}
				}
				out.unread[cluster.Name][o.Key()] = true
			}
			// On a hub where an object belongs to one placement on all clusters, the taker takes the object over on all of them, and deletes it on the clusters
			// that it does not pick. An object that the API server rejects remains with the giver until a later apply.
			isTaken := o.Action == takeover.ActionTakeOverFrom || o.Action == takeover.ActionPrune || o.Rejected()
			if isTaken && o.Given != nil && o.Given.From == from.Name {
				if out.objects[cluster.Name] == nil {
					out.objects[cluster.Name] = map[manifest.Key]Given{}
				}
				out.objects[cluster.Name][o.Key()] = *o.Given
			}
		}
	}
	return out
}

// Of returns the taker to which an object is left, or "" if it is left to none. problem is the reason why it is uncertain that the taker takes the object over
// in this run, or "" if the taker's plan shows the takeover.
func (t Takers) Of(cluster string, object manifest.Key) (name, problem string) {
	for _, taker := range t {
		if _, isTaken := taker.objects[cluster][object]; isTaken {
			return taker.Name, ""
		}
	}
	for _, taker := range t {
		switch {
		case taker.objects == nil:
			return taker.Name, fmt.Sprintf("placement %q takes over objects from this one, and its plan could not determine which", taker.Name)
		case taker.unread[cluster][object]:
			return taker.Name, fmt.Sprintf("placement %q may take it over, and its plan could not read the object", taker.Name)
		case taker.unchecked[cluster] && taker.places[object]:
			return taker.Name, fmt.Sprintf("placement %q may take it over, and its plan could not check the cluster", taker.Name)
		}
	}
	return "", ""
}

// HandedTo returns the placement to which an object is left, or "". planned is the expectation of the plan that is applied. If planned does not hand the object
// over, HandedTo uses the takers in t. why is the reason why it is uncertain that the placement takes the object over in this run, or "".
func (t Takers) HandedTo(planned *Expectation, cluster string, object manifest.Key) (to, why string) {
	if to = planned.HandsOver(cluster, object); to != "" {
		return to, ""
	}
	return t.Of(cluster, object)
}

// On returns the objects that are taken over on a cluster, with the names of the takers.
func (t Takers) On(cluster string) map[manifest.Key]Taken {
	out := map[manifest.Key]Taken{}
	for _, taker := range t {
		for key, given := range taker.objects[cluster] {
			out[key] = Taken{Given: given, By: taker.Name}
		}
	}
	return out
}

// Taken is an object that a placement takes over.
type Taken struct {
	Given
	By string
}

// Overlaps returns the objects that the taker takes over and the giver still places. placed are the objects that the giver places.
func (t Taker) Overlaps(placed Objects) []Overlap { return t.takenObjects().Overlaps(placed) }

// Shared returns the objects that two placements take over from the same giver.
func (t Taker) Shared(other Taker) []Overlap { return t.takenObjects().Overlaps(other.takenObjects()) }

func (t Taker) takenObjects() Objects {
	out := Objects{}
	for cluster, objects := range t.objects {
		out[cluster] = map[manifest.Key]bool{}
		for key := range objects {
			out[cluster][key] = true
		}
	}
	return out
}

// Any reports whether the taker may take objects over: its plan shows such an object, could not check a cluster or read an object, or could not be made.
func (t Taker) Any() bool {
	return t.objects == nil || t.TakesAny() || len(t.unread) > 0 || len(t.places) > 0 && len(t.unchecked) > 0
}

// TakesAny reports whether the taker's plan shows an object that it takes over.
func (t Taker) TakesAny() bool { return len(t.objects) > 0 }

// Has reports whether a taker has this name.
func (t Takers) Has(name string) bool {
	return slices.ContainsFunc(t, func(taker Taker) bool { return taker.Name == name })
}

// Remaining is an object of a removed giver that the taking placement does not place.
type Remaining struct {
	From, Cluster string
	manifest.Identifier
}

// UnconfirmedError is returned if the record of the giver does not confirm that the giver owns the objects that the taker takes over.
type UnconfirmedError struct {
	Giver, Taker string
	// Objects are the objects on Cluster. Why is a clause.
	Cluster string
	Objects []manifest.Key
	Why     string
}

func (e *UnconfirmedError) Error() string {
	objects := slices.SortedFunc(slices.Values(e.Objects), func(a, b manifest.Key) int { return strings.Compare(a.String(), b.String()) })
	return fmt.Sprintf("placement %q takes over %d object(s) from %q on cluster %q, and the record of %q does not confirm that they are its own: %s (%s). "+
		"Nothing was written. Apply once without the hand-over: that apply records the objects again, as pre-existing objects",
		e.Taker, len(e.Objects), e.Giver, e.Cluster, e.Giver, e.Why, Some(objects))
}

// PendingHandOverError is returned when a placement on a hub hands objects over, and still owns some of them. The hub would delete these objects. Nothing was
// written.
type PendingHandOverError struct {
	Giver string
	// Objects are the objects that Giver still owns, at least one.
	Objects []PendingHandOver
}

// PendingHandOver is an object that a placement still owns and must hand over to another placement.
type PendingHandOver struct {
	// Cluster is empty for an object that belongs to the same placement on all clusters.
	Cluster string
	manifest.Identifier
	To string
}

func (p PendingHandOver) String() string {
	if p.Cluster == "" {
		return p.Identifier.String()
	}
	return fmt.Sprintf("%s on %q", p.Identifier, p.Cluster)
}

func (e *PendingHandOverError) Error() string {
	var takers []string
	for _, o := range e.Objects {
		takers = append(takers, fmt.Sprintf("%q", o.To))
	}
	slices.Sort(takers)
	to := strings.Join(slices.Compact(takers), ", ")
	return fmt.Sprintf("placement %q hands objects over to placement %s, which has not taken over %d of them yet: %s. The hub would delete them. "+
		"Nothing was written. Apply again. If the error remains, check why placement %s is not complete", e.Giver, to, len(e.Objects), Some(e.Objects), to)
}

// HandOverError is returned for a placement that cannot be changed or removed without losing objects that another one takes over. Problem is a
// clause.
type HandOverError struct {
	Giver, Problem string
}

func (e *HandOverError) Error() string {
	return fmt.Sprintf("placement %q cannot hand its objects over: %s", e.Giver, e.Problem)
}

// HandOverDeniedError is returned when an apply cannot hand an object over, because a member denies a request. The apply does not retry the request. Unlike
// other errors of a member, a HandOverDeniedError does not wrap the error of the request.
type HandOverDeniedError struct {
	Cluster string
	Object  manifest.Identifier
	// Verb, Resource and Namespace are the missing permission; Namespace is empty for a cluster-scoped resource. Verb is empty if the
	// credentials have the permission, and an admission rule denies the write.
	Verb, Resource, Namespace string
	Reason                    string
}

func (e *HandOverDeniedError) Error() string {
	if e.Verb == "" {
		return fmt.Sprintf("an admission rule on cluster %q denies the new owner reference of %s, which remains with its former owner: %s. Change the rule, and apply again",
			e.Cluster, e.Object, e.Reason)
	}
	return fmt.Sprintf("the credentials for cluster %q may not %s %s, which the hand-over requires. Grant %s there, and apply again", e.Cluster, e.Verb, e.Object,
		Right(e.Verb, e.Resource, e.Namespace))
}

// ChangingObjectError is returned if others change an object during each of several attempts to write its owner references. Like a [HandOverDeniedError], a
// ChangingObjectError does not wrap the error of the request.
type ChangingObjectError struct {
	Cluster  string
	Object   manifest.Identifier
	Attempts int
	Reason   string
}

func (e *ChangingObjectError) Error() string {
	return fmt.Sprintf("the owner references of %s on cluster %q could not be written: others changed the object during each of %d attempts (%s). "+
		"Its managedFields name the field managers. Stop these clients, or wait until they are done, and apply again", e.Object, e.Cluster, e.Attempts, e.Reason)
}

// Right returns a permission as text, with the terms of a Role.
func Right(verb, resource, namespace string) string {
	if namespace == "" {
		return fmt.Sprintf("the verb %q for %s", verb, resource)
	}
	return fmt.Sprintf("the verb %q for %s in Namespace %q", verb, resource, namespace)
}

// Unchecked returns the first taker whose plan did not check a cluster, or "" if there is none. That placement may take objects over there.
func (t Takers) Unchecked(cluster string) (taker string) {
	for _, taker := range t {
		if taker.objects == nil || taker.unchecked[cluster] {
			return taker.Name
		}
	}
	return ""
}
