package envelope

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Annotation marks a ConfigMap as an envelope; any value but the empty one does.
const Annotation = "kubernetes-fleet.io/envelope-configmap"

// NamespaceAnnotation says on a ClusterResourceEnvelope to which namespace's envelope it belongs. It is in no namespace itself, so that envelopes of
// the same name in several namespaces would take one and the same for theirs.
const NamespaceAnnotation = "fleet.terraform.io/envelope-namespace"

// Type is a type of envelope, as KubeFleet's EnvelopeIdentifier spells it. It has a Values function, which documentation shares.
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

// MaxEntries is how many objects a ResourceEnvelope or a ClusterResourceEnvelope can carry; it must carry one at least. ConfigMaps are
// limited by [MaxSize].
const MaxEntries = 50

var (
	configMapKind               = schema.GroupKind{Kind: "ConfigMap"}
	resourceEnvelopeKind        = schema.GroupKind{Group: "placement.kubernetes-fleet.io", Kind: string(TypeResourceEnvelope)}
	clusterResourceEnvelopeKind = schema.GroupKind{Group: "placement.kubernetes-fleet.io", Kind: string(TypeClusterResourceEnvelope)}
)

// Error is an envelope, or an entry of one, that cannot be opened. Its text repeats nothing of what is in the envelope but the names of
// objects.
type Error struct {
	Envelope manifest.Envelope
	// Key is the entry; empty for the envelope as a whole.
	Key string
	Err error
}

func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s: %v", e.Envelope, e.Err)
	}
	return fmt.Sprintf("%s, key %q: %v", e.Envelope, e.Key, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// DuplicateError is an object that comes twice, from one envelope or from two places.
type DuplicateError struct{ manifest.Duplicate }

func (e *DuplicateError) Error() string { return e.String() }

// Keeps tells whether objects of a kind can be envelopes.
func Keeps(kind schema.GroupKind) bool {
	return kind == configMapKind || kind == resourceEnvelopeKind || kind == clusterResourceEnvelopeKind
}

// typeOf tells which type of envelope an object is.
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

// Of is the envelope that an object is; ok is false for another object.
func Of(o manifest.Object) (e manifest.Envelope, ok bool) {
	is, ok := typeOf(o)
	return manifest.Envelope{Name: o.Name, Namespace: o.Namespace, Type: string(is)}, ok
}

// Open replaces envelopes by their content, in their place; an envelope itself is never placed. An envelope inside another is content
// like any other and stays closed, as upstream.
//
// The errors are of type *[Error], for what cannot be opened and is left out, and *[DuplicateError], for what comes again and is left out
// the second time. Upstream looks for duplicates inside one envelope only, by the reason Duplicated; two envelopes with the same object
// overwrite each other there for ever.
//
// Envelopes of the closed types are placed as they are.
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
	once := opened[:0:0]
	for _, o := range opened {
		if !seen[o.Key()] {
			seen[o.Key()] = true
			once = append(once, o)
		}
	}
	for _, d := range manifest.Duplicates(opened) {
		errs = append(errs, &DuplicateError{d})
	}
	return once, errs
}

// openers open the types of envelopes; what cannot be opened is left out and told.
var openers = map[Type]func(manifest.Object) ([]manifest.Object, []error){
	TypeConfigMap:               openConfigMap,
	TypeResourceEnvelope:        openResourceEnvelope,
	TypeClusterResourceEnvelope: openClusterResourceEnvelope,
}
