package clusterset

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadError returns the error of a read of one object that the arguments of a configuration name. It is [engine.ErrNotFound] for an object that does not
// exist, and an *[engine.LimitationError] at the argument that causes the error. It returns nil for nil.
func ReadError(cluster string, id manifest.Identifier, err error) error {
	switch {
	case kube.IsNotFound(err):
		return engine.ErrNotFound
	case kube.IsUnknownKind(err):
		return BecauseOf("kind", err.Error())
	case kube.IsNamespaceMissing(err):
		return BecauseOf("namespace", "a "+id.Kind+" is namespaced: set it")
	}
	return Unreachable(cluster, err)
}

// BecauseOf returns an error that one argument of a configuration causes.
func BecauseOf(argument, message string) error {
	return &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At(argument), Message: message}}
}
