package diff

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Difference is a field that differs between the object to place and the object on the member.
//
// Its values belong to the compared objects and are read-only.
type Difference struct {
	// Field is the path for display. Elements of lists are identified by their merge key if they have one:
	// spec.template.spec.containers[name=app].image. Keys of maps that are not plain words are in brackets and quotes.
	Field string
	// Path is a JSON pointer (RFC 6901) into the object. Indexes are those of the member's list; missing elements have indexes after its end.
	// In a list without a merge key, each element that only the member has is a Difference with the index "-".
	Path string
	// InHub and InMember are JSON values, or Redacted if they are secret. For a different order of elements, they are the keys of the common
	// elements in the order of each side.
	InHub, InMember   any
	HasHub, HasMember bool
	// Manager is the field manager of the member's value, according to the object's managedFields.
	Manager Manager
	// Placed reports that the member's value is the one that the last apply placed, although another manager owns the field.
	Placed bool `json:",omitempty"`
	// Immutable reports that the API server rejects every change of the field; see [MarkImmutable].
	Immutable bool `json:",omitempty"`
}

// SetByOthers reports whether another manager than the given one has set the member's value. It returns false if the last apply placed this value, and if one
// of the managers is unknown.
func (d Difference) SetByOthers(manager string) bool {
	return d.HasMember && !d.Placed && d.Manager.Name != "" && manager != "" && d.Manager.Name != manager
}

const maxRendered = 200

// Render returns a value as compact JSON, truncated after 200 characters.
func Render(value any) string {
	if value == Redacted {
		return Redacted
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprintf("(%T)", value)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	count := utf8.RuneCountInString(text)
	if count <= maxRendered {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:maxRendered]), count)
}

// Details returns the differences in KubeFleet's form, up to the maximum number in a status.
func Details(differences []Difference) []placement.PatchDetail {
	var out []placement.PatchDetail
	for _, d := range differences[:min(len(differences), placement.MaxPatchDetails)] {
		detail := placement.PatchDetail{Path: d.Path}
		if d.HasHub {
			detail.ValueInHub = fmt.Sprint(d.InHub)
		}
		if d.HasMember {
			detail.ValueInMember = fmt.Sprint(d.InMember)
		}
		out = append(out, detail)
	}
	return out
}
