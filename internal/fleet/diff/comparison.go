package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Comparison is how an object on a member differs from what is to be placed. A nil one means that no comparison was made.
type Comparison struct {
	// Differences are for people. There are some if and only if the object differs.
	Differences []Difference
	// Patches say the same in KubeFleet's form; nil where KubeFleet would make no comparison of this kind.
	Patches []placement.PatchDetail
	// Degraded says that a full comparison stood in for a partial one, because the API server took the manifest for invalid.
	Degraded bool
	// Doubtful says that a dry run may find differences where none are listed.
	Doubtful bool
	// Err is why the comparison failed; then nothing else is told.
	Err error
}

// Differs tells whether a comparison was made and found something.
func (c *Comparison) Differs() bool { return c != nil && len(c.Differences) > 0 }

// Certain tells whether a comparison was made and its answer is final: nobody has to ask the API server.
func (c *Comparison) Certain() bool { return c != nil && c.Err == nil && !c.Doubtful }

// Full lists the differences between an object that is to be placed and the one on the member, by KubeFleet's comparison: both sides
// stripped, all that is not equal counts. What KubeFleet calls a full comparison passes the manifest as desired; a partial one passes what
// the API server made of the manifest in a server-side apply dry run.
//
// The differences are empty if and only if the patches are, so that they decide as KubeFleet does. They tell more: elements of the lists
// that Kubernetes merges by key are matched by it, every element that a list lacks is told with its own index and value, and whoever wrote
// the member's value is named. Values of Secrets are redacted.
//
// The schema tells the merge keys; without one, elements of lists are matched by index.
func Full(known Schema, desired, live *unstructured.Unstructured) *Comparison {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return &Comparison{}
	}
	return &Comparison{
		Differences: compare(known, desired, live, source, target), Patches: patches(secretsOf(desired, live), source, target),
	}
}

// Partial lists the fields of desired that the object on the member does not have, without the help of an API server: what KubeFleet's
// partial comparison would find, as far as it can be known without a dry run. It has no patches, since KubeFleet never compares in this way.
//
// Fields that only the member has do not count, unless they are in what a server-side apply replaces as a whole: a list without merge key,
// or the selector of a Service. Lists are matched by their merge key where they have one; elements that come in another order than desired
// are put in order by a server-side apply, which makes a Deployment roll out. Quantities are compared as an API server writes them,
// stringData with data, base64 by what it stands for. A null asks for nothing, and neither does an empty or zero value that an API server
// drops when it writes the object, or an address or port that a Service leaves to it.
//
// All that is for what the schema knows, which may be nil. Of the rest, as of custom resources, lists must be equal in length and, element
// by element, have what is desired, and all that is written counts.
//
// It is doubtful if it has let something pass that a dry run may not: a null over a value, an empty value that the member does not have, or
// one in what is replaced as a whole that may be a default or not. Of what no schema is known, whatever only the member has is in doubt,
// since the list or the map may be replaced as a whole.
func Partial(known Schema, desired, live *unstructured.Unstructured) *Comparison {
	differences, doubtful := comparePartially(known, desired, live)
	return &Comparison{Differences: differences, Doubtful: doubtful}
}

// Missing is the comparison with an object that the member does not have, as KubeFleet's status tells it under strategy type ReportDiff.
func Missing() *Comparison {
	return &Comparison{
		Differences: []Difference{{Path: "/", InHub: wholeObject, HasHub: true}},
		Patches:     []placement.PatchDetail{{Path: "/", ValueInHub: wholeObject}},
	}
}
