package hubenvelope

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// ownerOf is the namespace of the envelope that an object of a type keeps; empty if nothing marks it as one.
func ownerOf(as envelope.Type, live metav1.Object) string {
	annotations := live.GetAnnotations()
	switch {
	case as == envelope.TypeClusterResourceEnvelope:
		return annotations[envelope.NamespaceAnnotation]
	case as == envelope.TypeConfigMap && annotations[envelope.Annotation] == "":
		return ""
	}
	return live.GetNamespace()
}

// markOf is the annotation without which an object is no envelope of a namespace, and its value.
func markOf(object manifest.Identifier, namespace string) string {
	if object.Kind == string(envelope.TypeConfigMap) {
		return fmt.Sprintf("%s: %q", envelope.Annotation, "true")
	}
	return fmt.Sprintf("%s: %q", envelope.NamespaceAnnotation, namespace)
}

// made tells whether an object is one that the envelope was kept in before.
func made(live *unstructured.Unstructured, prior *engine.Envelope) bool {
	return prior != nil && slices.ContainsFunc(prior.Objects, func(o engine.KeptObject) bool {
		return o.Key() == identifier(live).Key() && o.UID == string(live.GetUID())
	})
}

// UnmarkedError is an object that could be an envelope, and does not say that it is one.
type UnmarkedError struct {
	Object manifest.Identifier
	// Namespace is that of the envelope that was looked for.
	Namespace string
}

func (e *UnmarkedError) Error() string {
	return fmt.Sprintf("the hub has a %s, but nothing says that it is this envelope: it may be somebody else's, and would be changed and deleted with the "+
		"envelope. If it is to be managed here, annotate it with %s, and import it again", e.Object, markOf(e.Object, e.Namespace))
}
