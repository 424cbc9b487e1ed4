package engine

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// markEqual is the mark of an owned object without differences; see [MarkFields]. The mark of another object without differences begins with it; see [Mark].
const markEqual = "="

// IsEqualMark reports whether a mark of [MarkFields] is that of an object without differences. Fields that an autoscaler has set do not count.
func IsEqualMark(mark string) bool { return mark == markEqual }

// Mark returns the mark of an object that the placement does not own. The mark changes with the UID, and with the current and the placed value of each
// differing field. It also changes with more, which describes state outside the differences. The differences must come from a local comparison, which does
// not depend on permissions: an apply with write access must accept a plan that was made with read-only credentials.
func Mark(uid types.UID, differences []diff.Difference, more string) string {
	fields := markOf(uid, differences, func(d diff.Difference) []any { return []any{d.HasMember, d.InMember, d.HasHub, d.InHub} })
	return fields + manifest.Hash(map[string]any{"uid": string(uid), "more": more})[:8]
}

// MarkFields returns the mark of an object that the placement owns and that manager writes. The mark changes with the differing fields, their placed values and
// the values that others have set, and with more, which describes state outside the differences. A current value that manager itself or an unknown manager has
// set does not change the mark. Fields that an autoscaler has set do not count. If there are no other differences, the mark is markEqual.
func MarkFields(uid types.UID, differences []diff.Difference, manager, more string) string {
	differences = slices.DeleteFunc(slices.Clone(differences), diff.Difference.Autoscaled)
	if len(differences) == 0 {
		return markEqual
	}
	fields := markOf(uid, differences, func(d diff.Difference) []any {
		if d.SetByOthers(manager) {
			return []any{d.HasHub, d.InHub, d.Manager.Name, d.InMember}
		}
		return []any{d.HasHub, d.InHub}
	})
	return fields + manifest.Hash(map[string]any{"uid": string(uid), "more": more})[:8]
}

// markOf hashes the values of each difference together with the UID of the object. It returns markEqual if there are no differences. Differences can contain
// values that the user has marked as sensitive, and a digest of a preview is often public: without read access to the object, and so to its UID, a guess of a
// value cannot be verified.
func markOf(uid types.UID, differences []diff.Difference, values func(diff.Difference) []any) string {
	if len(differences) == 0 {
		return markEqual
	}
	fields := map[string]any{"uid": string(uid)}
	for i, d := range differences {
		fields[fmt.Sprintf("%d%s", i, d.Path)] = values(d)
	}
	return manifest.Hash(fields)[:16]
}

// Salted returns the expectation with salted marks, for the private state of a plan. Marks depend on the values of Secrets, including values
// that are not in the state. With a random salt, equal values have different marks in every plan, so that a table of hashes cannot reveal
// them. A digest that users compare has no salt, because the digest of an unchanged preview must not change.
func (e *Expectation) Salted() *Expectation {
	out := &Expectation{digest: e.digest, also: e.also}
	out.digest.Salt, out.digest.Clusters = rand.Text(), map[string]map[string]entry{}
	for cluster, entries := range e.digest.Clusters {
		out.digest.Clusters[cluster] = map[string]entry{}
		for object, one := range entries {
			switch one.act {
			case actTakeOver, actTakeFrom, actUpdate:
				one.mark = withSalt(out.digest.Salt, one.mark)
			case actNone, actHandOver, actDelete, actReplace: // their marks contain no values
			}
			out.digest.Clusters[cluster][object] = one
		}
	}
	return out
}

// isMark reports whether a mark of the expectation matches the current mark of the object.
func (e *Expectation) isMark(planned, current string) bool {
	return planned == withSalt(e.digest.Salt, current)
}

// withSalt returns a mark with a salt. It keeps the prefix markEqual. With an empty salt, it returns the mark itself.
func withSalt(salt, mark string) string {
	if salt == "" {
		return mark
	}
	sum := manifest.Hash(map[string]any{"salt": salt, "mark": mark})[:24]
	if strings.HasPrefix(mark, markEqual) {
		return markEqual + sum
	}
	return sum
}
