package owners

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Record is the entry of an object in the record of a placement on a member. The signature of the record is not verified, because only the state of the
// placement has its key.
type Record struct {
	// Placement is the name of the placement. ID is the identity of the resource that manages it; empty in records of early versions.
	Placement, ID string
	// Source names the record for users.
	Source string
	// UID is empty until the object is known to exist.
	UID string
	// Applied reports whether the placement has written the object.
	Applied bool
	// Adopted means that the object existed before the placement. Released means that the placement left the cluster, and the object remained there.
	Adopted, Released bool
}

// Records are the records of placements on one member. The zero value has none.
type Records struct {
	objects map[manifest.Key][]Record
	// placements has the name of each recorded placement by the ID of its ApplySet.
	placements map[string]string
}

// AddPlacement adds a placement with the ID of its ApplySet.
func (r *Records) AddPlacement(name, set string) {
	if r.placements == nil {
		r.placements = map[string]string{}
	}
	r.placements[set] = name
}

// Add adds the entry of an object.
func (r *Records) Add(object manifest.Key, entry Record) {
	if r.objects == nil {
		r.objects = map[manifest.Key][]Record{}
	}
	r.objects[object] = append(r.objects[object], entry)
}

// find returns the entry of the placement that owns an object, or nil. An entry with the UID of the object proves the ownership if the placement has written
// the object, or if the object has the placement's label. The label alone proves nothing, because copies of an object have it as well. An entry has no UID if
// the object did not exist yet when the record was written; the label is then sufficient.
func (r *Records) find(live *unstructured.Unstructured) *Record {
	marked := r.placements[applyset.PartOf(live)]
	for _, entry := range r.objects[manifest.NewObject(live, nil).Key()] {
		isSame := entry.UID == string(live.GetUID())
		switch {
		case entry.Released:
		case isSame && (entry.Applied || marked == entry.Placement), entry.UID == "" && marked == entry.Placement:
			return &entry
		}
	}
	return nil
}

// marks returns the marks of owners that an object has, and the entry of the placement that owns the object, or nil. The owner's mark is the first one. The
// records show which ApplySets are placements.
func (r *Records) marks(live *unstructured.Unstructured) ([]takeover.Mark, *Record) {
	set := applyset.PartOf(live)
	found := r.find(live)
	var out []takeover.Mark
	if found != nil {
		out = append(out, takeover.Mark{
			Owner: takeover.Owner{Kind: takeover.OwnerPlacement, Name: found.Placement, Exclusive: true}, Text: found.Source,
			Since: formatTime(live.GetCreationTimestamp()),
		})
	}
	for _, mark := range takeover.FindMarks(live) {
		if found != nil && mark.Owner.Kind == takeover.OwnerReleased {
			continue // the placement writes the label with the next change of the object
		}
		if mark.Owner.Kind == takeover.OwnerApplySet && r.placements[set] != "" {
			if found != nil && found.Placement == r.placements[set] {
				if found.Adopted {
					out[0].Since = mark.Since
				}
				continue
			}
			mark.Owner = takeover.Owner{Kind: takeover.OwnerUnrecorded, Name: r.placements[set]}
		}
		out = append(out, mark)
	}
	return out, found
}
