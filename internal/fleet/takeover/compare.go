package takeover

import (
	"strconv"
	"strings"

	"github.com/wI2L/jsondiff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Compare lists the differences between an object that is to be placed and the one on the member, by KubeFleet's comparison: both sides
// stripped, then a JSON patch from the one to the other. What KubeFleet calls a full comparison passes the manifest as desired; a partial
// one passes what the API server made of the manifest in a server-side apply dry run.
//
// It betters KubeFleet's in that every element that a list lacks is told with its own index and value. Values of Secrets are redacted.
func Compare(desired, live *unstructured.Unstructured) []Difference {
	source, target := canonical(Strip(desired)), canonical(Strip(live))
	patch, err := jsondiff.CompareWithoutMarshal(source, target)
	if err != nil {
		// The library fails at values of types that canonical does not let through. Should it fail all the same, nothing is equal.
		return []Difference{{Path: "/", InHub: wholeObject, HasHub: true, InMember: wholeObject, HasMember: true}}
	}
	var differences []Difference
	for i, operation := range patch {
		difference := Difference{Path: operation.Path}
		switch operation.Type {
		case jsondiff.OperationAdd:
			difference.InMember, difference.HasMember = plain(operation.Value), true
		case jsondiff.OperationRemove:
			difference.Path = ownIndex(patch, i)
			difference.InHub, difference.HasHub = plain(operation.OldValue), true
		default:
			difference.InMember, difference.HasMember = plain(operation.Value), true
			difference.InHub, difference.HasHub = plain(operation.OldValue), true
		}
		differences = append(differences, difference)
	}
	return redacted(differences, desired, live)
}

// ownIndex returns the path of a removal. A patch removes the elements at the end of a list by the same index again and again; each had an
// index of its own before.
func ownIndex(patch jsondiff.Patch, i int) string {
	path := patch[i].Path
	earlier := 0
	for j := i - 1; j >= 0 && patch[j].Type == jsondiff.OperationRemove && patch[j].Path == path; j-- {
		earlier++
	}
	slash := strings.LastIndexByte(path, '/')
	index, err := strconv.Atoi(path[slash+1:])
	if earlier == 0 || err != nil {
		return path
	}
	return path[:slash+1] + strconv.Itoa(index+earlier)
}
