package engine

import (
	"crypto/rand"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// markEqual is the mark of an object without differences.
const markEqual = "="

// Mark returns the mark of an object that is not the placement's own: it changes with its UID, with each field that differs, its current value and the
// placed one, and with more that the differences do not show. The differences are to be those of a local comparison, which does not depend on what the
// credentials may do, so that a plan with read-only credentials serves an apply with others.
func Mark(uid types.UID, differences []diff.Difference, more string) string {
	fields := mark(differences, func(d diff.Difference) []any { return []any{d.HasMember, d.InMember, d.HasHub, d.InHub} })
	return fields + manifest.Hash(map[string]any{"uid": string(uid), "more": more})[:8]
}

// MarkFields returns the mark of an object of the placement's own: it changes with the fields that differ, their placed values, and more that the
// differences do not show. It does not change with the current values, because a plan that shows a field being set holds whatever value the field has by
// then.
func MarkFields(differences []diff.Difference, more string) string {
	if len(differences) == 0 {
		return markEqual
	}
	fields := mark(differences, func(d diff.Difference) []any { return []any{d.HasHub, d.InHub} })
	return fields + manifest.Hash(map[string]any{"more": more})[:8]
}

func mark(differences []diff.Difference, values func(diff.Difference) []any) string {
	if len(differences) == 0 {
		return markEqual
	}
	fields := map[string]any{}
	for i, d := range differences {
		fields[fmt.Sprintf("%d%s", i, d.Path)] = values(d)
	}
	return manifest.Hash(fields)[:16]
}

// Salted returns the expectation with salted marks, for the private state of a plan. Marks follow from the values of Secrets, also of those that no state
// has. With a random salt, equal values have different marks in every plan, and no table of hashes finds them. A digest that users compare has no salt,
// because the digest of an unchanged preview does not change.
func (e *Expectation) Salted() *Expectation {
	out := &Expectation{shown: e.shown, also: e.also}
	out.shown.Salt, out.shown.Clusters = rand.Text(), map[string]map[string]entry{}
	for cluster, entries := range e.shown.Clusters {
		out.shown.Clusters[cluster] = map[string]entry{}
		for object, one := range entries {
			switch one.act {
			case takeOver, takeFrom, update:
				one.mark = salted(out.shown.Salt, one.mark)
			case nothing, handOver, deletion, replace: // their marks are names
			}
			out.shown.Clusters[cluster][object] = one
		}
	}
	return out
}

// isMark reports whether a mark of the expectation equals the current mark of the object.
func (e *Expectation) isMark(shown, now string) bool { return shown == salted(e.shown.Salt, now) }

// salted returns a mark with a salt. The result keeps the prefix of an object without differences. With an empty salt
// it is the mark itself.
func salted(salt, mark string) string {
	if salt == "" {
		return mark
	}
	sum := manifest.Hash(map[string]any{"salt": salt, "mark": mark})[:24]
	if strings.HasPrefix(mark, markEqual) {
		return markEqual + sum
	}
	return sum
}
