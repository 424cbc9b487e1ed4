package clusterset

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadError converts the error of reading an object that arguments of a configuration identify. It returns [engine.ErrNotFound] if the object does not exist.
// If the kind is unknown or the namespace is missing, it returns an *[engine.LimitationError] with the path of the invalid argument. It converts other errors
// as [Unreachable] does, and returns nil for nil.
func ReadError(cluster string, id manifest.Identifier, err error) error {
	switch {
	case kube.IsNotFound(err):
		return engine.ErrNotFound
	case kube.IsUnknownKind(err):
		return BecauseOf("kind", err.Error())
	case kube.IsNamespaceMissing(err):
		return BecauseOf("namespace", "a "+id.Kind+" is namespaced: set the namespace")
	}
	return Unreachable(cluster, err)
}

// BecauseOf returns the error for an invalid argument of a configuration.
func BecauseOf(argument, message string) error {
	return &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At(argument), Message: message}}
}
