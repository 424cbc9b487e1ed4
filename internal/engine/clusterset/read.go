package clusterset

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadError converts the error of reading an object. The arguments of a configuration identify the object. It returns [engine.ErrNotFound] if the object does not exist,
// and an *[engine.LimitationError] with the path of an argument if the kind is unknown or the namespace is missing. It returns nil for nil.
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
