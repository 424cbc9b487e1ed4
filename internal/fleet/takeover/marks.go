package takeover

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// OwnerMark is a kind of owner and what identifies it.
type OwnerMark struct {
	Kind OwnerKind
	// Exclusive owners keep their objects; see [Owner].
	Exclusive bool
	Mark      string
}

// OwnerMarks lists the marks of owners in the order in which they are checked; the first match counts. Autoscalers of single fields are
// found separately, see [diff.Difference.Autoscaled].
func OwnerMarks() []OwnerMark {
	marks := make([]OwnerMark, len(ownerRules))
	for i, rule := range ownerRules {
		marks[i] = OwnerMark{Kind: rule.kind, Exclusive: rule.exclusive, Mark: rule.mark}
	}
	return marks
}

// Mark is a part of an object that identifies an owner.
type Mark struct {
	Owner Owner
	Text  string
	// Since is the last write of the field manager that set the mark, in RFC 3339: the object has had the mark at least since then. It is empty if the
	// object's managedFields do not show it.
	Since string
}

// FindMarks returns the marks of an object in the order of [OwnerMarks]. The first owner is the one that [OwnerOf] returns for the zero value of [Ours].
func FindMarks(live *unstructured.Unstructured) []Mark {
	var out []Mark
	for _, rule := range ownerRules {
		if name, applies := rule.find(live, Ours{}); applies {
			out = append(out, Mark{
				Owner: Owner{Kind: rule.kind, Name: name, Exclusive: rule.exclusive}, Text: rule.mark, Since: rule.since(live),
			})
		}
	}
	return out
}

// since returns the value of [Mark.Since].
func (r ownerRule) since(live *unstructured.Unstructured) string {
	if r.at != nil {
		return diff.WrittenAt(live, r.at...)
	}
	latest := ""
	for _, entry := range diff.Entries(live) {
		if entry.Subresource == "" && hasPrefix(entry.Name, r.managers) {
			latest = max(latest, entry.Time) // RFC 3339, in UTC
		}
	}
	return latest
}

// ControllerOf returns the owner reference that the rules for [OwnerController] match: the reference to the object's controller, or else the first
// reference that is not KubeFleet's.
func ControllerOf(live *unstructured.Unstructured) (metav1.OwnerReference, bool) {
	var other *metav1.OwnerReference
	for _, ref := range live.GetOwnerReferences() {
		switch {
		case isAppliedWork(ref):
		case ref.Controller != nil && *ref.Controller:
			return ref, true
		case other == nil:
			other = &ref
		}
	}
	if other == nil {
		return metav1.OwnerReference{}, false
	}
	return *other, true
}
