package kube

import (
	"errors"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// ApplyOptions configure an apply.
type ApplyOptions struct {
	// FieldManager is the manager that owns the applied fields. If it is empty, the manager of Options is used. The manager determines which
	// fields conflict, and which fields an apply removes because the manifest no longer has them. With the name of another program's manager,
	// the apply has the same effect as an apply by that program.
	FieldManager string
	// LastAppliedAnnotation is the annotation from which ApplyClientSide reads the last applied configuration, and to which it writes the new
	// one. If it is empty, DefaultLastAppliedAnnotation is used.
	LastAppliedAnnotation string
	// Force takes over fields of other managers in a server-side apply. ApplyClientSide always sets the values of the manifest, unless it
	// applies the object server-side (LargeServerSide).
	Force bool
	// DryRun sends a dry run, which needs the same rights as the real request.
	DryRun bool
	// Strict makes the API server reject unknown and duplicate fields. Otherwise the API server drops these fields with a warning, which the client ignores.
	Strict bool
	// OptimisticLock makes the apply fail with a conflict if live is not the newest version of the object.
	OptimisticLock bool
	// Own makes ApplyClientSide use managedFields if live has no last applied configuration: it then removes fields that the manager owns and
	// the manifest does not have.
	Own bool
	// KeepUpdates makes a server-side apply keep fields that the manager owns by update (managedFields operation Update) and the manifest does not
	// have. Use it to simulate managers that never migrate such ownership to apply.
	KeepUpdates bool
	// LargeServerSide makes ApplyClientSide use a server-side apply for an existing object that is too large for the annotation.
	LargeServerSide bool
	// KeepFinalizers makes ApplyClientSide keep the finalizers that other clients have set.
	KeepFinalizers bool
}

// isAltered reports whether a write changed an object, apart from its status and the fields that the server sets. before is nil if the write created the
// object. A new resourceVersion does not prove a change by the write: a controller may have written the status between the read and the write.
func isAltered(before, after *unstructured.Unstructured) bool {
	return before == nil || !reflect.DeepEqual(content(before), content(after))
}

// asReplacedConflict converts the error of a write whose precondition on the UID failed into a conflict: another object of the same name has replaced the
// object. It returns any other error unchanged.
func asReplacedConflict(ref Ref, err error) error {
	if !apierrors.IsInvalid(err) {
		return err
	}
	for _, cause := range detailsOf(err).Causes {
		if cause.Field == "metadata.uid" {
			resource := schema.GroupResource{Group: ref.GVK.Group, Resource: ref.GVK.Kind}
			return apierrors.NewConflict(resource, ref.Name, errors.New("it has been replaced by another object of the same name"))
		}
	}
	return err
}

func content(obj *unstructured.Unstructured) map[string]any {
	out := manifest.WithoutServerSet(obj)
	unstructured.RemoveNestedField(out.Object, "status")
	return out.Object
}
