package envelope

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Annotation marks a ConfigMap as an envelope, with any value that is not empty.
const Annotation = kubefleetapi.Prefix + "envelope-configmap"

// NamespaceAnnotation is the namespace of the envelope to which a ClusterResourceEnvelope belongs. The ClusterResourceEnvelope itself has no
// namespace, so the annotation distinguishes envelopes with the same name in several namespaces.
const NamespaceAnnotation = "fleet.terraform.io/envelope-namespace"

// Type is a type of envelope, in the spelling of KubeFleet's EnvelopeIdentifier. It has a Values method for documentation.
type Type string

// The types of envelopes.
const (
	TypeConfigMap               Type = "ConfigMap"
	TypeResourceEnvelope        Type = "ResourceEnvelope"
	TypeClusterResourceEnvelope Type = "ClusterResourceEnvelope"
)

// Values lists the values in the order in which they are documented.
func (Type) Values() []string {
	return []string{"ConfigMap", "ResourceEnvelope", "ClusterResourceEnvelope"}
}

// MaxEntries is the maximum number of objects in a ResourceEnvelope or a ClusterResourceEnvelope; the minimum is one. [MaxSize] limits ConfigMaps.
const MaxEntries = 50

var (
	configMapKind               = schema.GroupKind{Kind: "ConfigMap"}
	resourceEnvelopeKind        = schema.GroupKind{Group: kubefleetapi.PlacementGroup, Kind: string(TypeResourceEnvelope)}
	clusterResourceEnvelopeKind = schema.GroupKind{Group: kubefleetapi.PlacementGroup, Kind: string(TypeClusterResourceEnvelope)}
)

// Error is returned for an envelope, or an entry of one, that cannot be extracted. Its text contains only the names of objects, not their content.
type Error struct {
	Envelope manifest.Envelope
	// Key is the key of the entry; empty for the envelope as a whole.
	Key string
	Err error
}

func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s: %v", e.Envelope, e.Err)
	}
	return fmt.Sprintf("%s, key %q: %v", e.Envelope, e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// DuplicateError is returned for an object that occurs twice, in one envelope or in two places.
type DuplicateError struct{ manifest.Duplicate }

func (e *DuplicateError) Error() string { return e.String() }

// IsEnvelopeKind reports whether objects of a kind can be envelopes.
func IsEnvelopeKind(kind schema.GroupKind) bool {
	return kind == configMapKind || kind == resourceEnvelopeKind || kind == clusterResourceEnvelopeKind
}

func typeOf(o manifest.Object) (envelopeType Type, is bool) {
	switch o.GroupVersionKind().GroupKind() {
	case configMapKind:
		return TypeConfigMap, o.Version == "v1" && o.Content.GetAnnotations()[Annotation] != ""
	case resourceEnvelopeKind:
		return TypeResourceEnvelope, true
	case clusterResourceEnvelopeKind:
		return TypeClusterResourceEnvelope, true
	}
	return "", false
}

// Of returns the identity of an envelope. ok is false for an object that is not an envelope.
func Of(o manifest.Object) (e manifest.Envelope, ok bool) {
	is, ok := typeOf(o)
	return manifest.Envelope{Name: o.Name, Namespace: o.Namespace, Type: string(is)}, ok
}

// Open returns the objects with the content of each envelope in place of the envelope, which is never placed itself. As in KubeFleet, an envelope
// inside another one is treated like any other content.
//
// The errors are of type *[Error] for content that cannot be extracted and is left out, and *[DuplicateError] for an object that occurs more than once; only
// its first occurrence is returned. KubeFleet checks for duplicates only inside one envelope, and reports them with the reason Duplicated. On a KubeFleet hub,
// two envelopes with the same object repeatedly overwrite it on the members.
//
// Open does not extract envelopes of the closed types, and returns them unchanged.
func Open(objects []manifest.Object, closed ...Type) (opened []manifest.Object, errs []error) {
	for _, o := range objects {
		envelopeType, is := typeOf(o)
		if !is || slices.Contains(closed, envelopeType) {
			opened = append(opened, o)
			continue
		}
		content, contentErrs := openers[envelopeType](o)
		opened = append(opened, content...)
		errs = append(errs, contentErrs...)
	}
	seen := map[manifest.Key]bool{}
	unique := opened[:0:0]
	for _, o := range opened {
		if !seen[o.Key()] {
			seen[o.Key()] = true
			unique = append(unique, o)
		}
	}
	for _, d := range manifest.Duplicates(opened) {
		errs = append(errs, &DuplicateError{d})
	}
	return unique, errs
}

// openers leave out content that cannot be extracted, and return an error for it.
var openers = map[Type]func(manifest.Object) ([]manifest.Object, []error){
	TypeConfigMap:               openConfigMap,
	TypeResourceEnvelope:        openResourceEnvelope,
	TypeClusterResourceEnvelope: openClusterResourceEnvelope,
}
