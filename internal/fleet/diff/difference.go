package diff

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Difference is a field that is not the same in what is to be placed and on the member.
//
// Its values are those of the objects compared, for reading only.
type Difference struct {
	// Field is the path for people, with elements of lists told by their merge key where they have one:
	// spec.template.spec.containers[name=app].image. Keys of maps that are no plain words stand in brackets and quotes.
	Field string
	// Path is a JSON pointer (RFC 6901) into the object. Indexes are those of the member's list; elements that are missing there come
	// behind its end. In a list without a merge key, the elements that only the member has are told as "-", one Difference each.
	Path string
	// InHub and InMember are JSON values; Redacted where they are not to be shown. For elements that come in another order, they are the
	// keys of the elements that both sides have, in the order of either.
	InHub, InMember   any
	HasHub, HasMember bool
	// Manager is who wrote the member's value, as far as the object's managedFields say.
	Manager Manager
	// Immutable reports that the API server rejects every change of the field; see [MarkImmutable].
	Immutable bool `json:",omitempty"`
}

// maxRendered is how many characters of a value are shown.
const maxRendered = 200

// Render shows a value as compact JSON, cut after some 200 characters.
func Render(value any) string {
	if value == Redacted {
		return Redacted
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only values that are not JSON come here.
		return fmt.Sprintf("(%T)", value)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	count := utf8.RuneCountInString(text)
	if count <= maxRendered {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:maxRendered]), count)
}

// Details writes differences in KubeFleet's form, as many as a status holds.
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
