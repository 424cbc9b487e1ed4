package hubenvelope

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ownerOf returns the namespace of the envelope that an object of the type contains, or "" for a ConfigMap or a ClusterResourceEnvelope without the annotation of
// an envelope.
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

// markOf returns the annotation, with its value, that marks an object as an envelope of a namespace.
func markOf(object manifest.Identifier, namespace string) string {
	if object.Kind == string(envelope.TypeConfigMap) {
		return fmt.Sprintf("%s: %q", envelope.Annotation, "true")
	}
	return fmt.Sprintf("%s: %q", envelope.NamespaceAnnotation, namespace)
}

// isKnown reports whether prior lists the object. It returns an *[engine.ReplacedError] if the object has the name of an object in prior, but another UID.
// namespace is the namespace of the envelope.
func isKnown(hub *kube.Cluster, live *unstructured.Unstructured, namespace string, prior *engine.Envelope) (bool, error) {
	if prior == nil {
		return false, nil
	}
	i := slices.IndexFunc(prior.Objects, func(o engine.KeptObject) bool { return o.Key() == identifier(live).Key() })
	if i < 0 {
		return false, nil
	}
	err := engine.CheckReplaced(live, prior.Objects[i].UID, hub.Name())
	if replaced, is := errors.AsType[*engine.ReplacedError](err); is {
		replaced.Import.Namespace = namespace
	}
	return err == nil, err
}

// UnmarkedError is returned when an object has the name of an envelope, but no annotation that marks it as one.
type UnmarkedError struct {
	Object manifest.Identifier
	// Namespace is the namespace of the requested envelope.
	Namespace string
}

func (e *UnmarkedError) Error() string {
	return fmt.Sprintf("the hub has a %s, but nothing identifies it as part of this envelope. It may belong to another configuration, and would be "+
		"changed and deleted with the envelope. To manage it here, annotate it with %s, and import it again", e.Object, markOf(e.Object, e.Namespace))
}
