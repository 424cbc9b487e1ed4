package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Comparison is how an object on a member differs from the object to place. A nil Comparison means that none was made.
type Comparison struct {
	// Differences count for decisions. If Err is nil, the list is empty if and only if the comparison found no difference.
	Differences []Difference
	// Ignored are the differences that KubeFleet's comparison ignores: labels and annotations whose key contains kubernetes.io/ or k8s.io/, and finalizers. They do
	// not count for decisions, but a write changes these fields, too. Labels and annotations that every write sets or keeps are left out.
	Ignored []Difference
	// Patches are the differences in KubeFleet's form; nil for [Partial], which KubeFleet does not have.
	Patches []placement.PatchDetail
	// Degraded reports whether a full comparison replaced a partial one, because the API server rejects the manifest as invalid.
	Degraded bool
	// Doubtful reports whether a dry run may find differences that are not listed.
	Doubtful bool
	// Err is the reason why the comparison failed; the other fields are then empty.
	Err error
}

// Differs reports whether a comparison was made and found differences.
func (c *Comparison) Differs() bool { return c != nil && len(c.Differences) > 0 }

// All returns the differences for display, including the ignored ones.
func (c *Comparison) All() []Difference {
	if c == nil {
		return nil
	}
	return slices.Concat(c.Differences, c.Ignored)
}

// Certain reports whether a comparison was made and needs no confirmation by the API server.
func (c *Comparison) Certain() bool { return c != nil && c.Err == nil && !c.Doubtful }

// Full lists the differences between an object to place and the object on the member, by KubeFleet's comparison: both sides are stripped, and
// every inequality counts. For KubeFleet's full comparison, desired is the manifest; for its partial comparison, desired is the result of a
// server-side apply dry run.
//
// The differences are empty if and only if the patches are, so both lead to KubeFleet's decision. The differences have more detail: elements
// of lists that Kubernetes merges by key are matched by that key, each missing element has its own index and value, and the field manager of
// the member's value is named. Values of Secrets are redacted.
//
// known supplies the merge keys. If it is nil or does not have the kind, elements of lists are matched by index.
func Full(known Schema, desired, live *unstructured.Unstructured) *Comparison {
	return compareFully(known, desired, live, false)
}

// Written is like [Full] for an object before and after a write, or a dry run. In its differences, InHub is the value after the write, and InMember the value
// before it. Its ignored differences include the labels, annotations and finalizers that the write removes.
func Written(known Schema, after, before *unstructured.Unstructured) *Comparison {
	return compareFully(known, after, before, true)
}

func compareFully(known Schema, desired, live *unstructured.Unstructured, removals bool) *Comparison {
	out := &Comparison{Ignored: ignoredDifferences(desired, live, removals)}
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return out
	}
	w := newWalk(desired, live)
	w.patching = true
	w.compareMaps(typeOf(known, desired), source, target, false)
	out.Differences, out.Patches = w.finish(live), w.patches
	return out
}

// Partial lists the fields of desired that the object on the member does not have, without a request to an API server. It predicts KubeFleet's
// partial comparison as far as that is possible without a dry run. It has no patches, because KubeFleet never compares this way.
//
// Fields that only the member has do not count, unless a server-side apply replaces the enclosing value as a whole: a list without merge key, or
// the selector of a Service. Lists are matched by their merge key if they have one. A different order of elements counts, because a server-side
// apply restores the desired order, which makes a Deployment roll out. Quantities are compared in the API server's notation, stringData with data,
// and base64 by its decoded bytes. A null requests nothing. The same applies to an empty or zero value that the API server drops, and to an address
// or port of a Service that the API server allocates.
//
// known may be nil. Without a schema, as for custom resources, lists must have equal length, each element must have the desired fields, and every
// value counts as written.
//
// The result is doubtful if the comparison ignored something that a dry run may not ignore: a null over a value, an empty value that the
// member does not have, or a possible default inside a value that is replaced as a whole. Without a schema, every nested field outside metadata that
// only the member has makes the result doubtful, because the enclosing list or map may be replaced as a whole.
func Partial(known Schema, desired, live *unstructured.Unstructured) *Comparison {
	w := walkPartially(known, desired, live)
	return &Comparison{Differences: w.finish(live), Ignored: ignoredDifferences(desired, live, false), Doubtful: w.doubtful}
}

// Missing returns the comparison with an object that the member does not have, as KubeFleet's status shows it under strategy type ReportDiff.
func Missing() *Comparison {
	return &Comparison{
		Differences: []Difference{{Path: "/", InHub: wholeObject, HasHub: true}},
		Patches:     []placement.PatchDetail{{Path: "/", ValueInHub: wholeObject}},
	}
}
