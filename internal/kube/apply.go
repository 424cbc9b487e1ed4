package kube

import (
	"errors"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// ApplyOptions are how an object is applied.
type ApplyOptions struct {
	// FieldManager is the name under which the apply owns fields; empty: that of Options. Whose fields are in conflict, and which of them
	// leave the object with the manifest, goes by this name: a write in the name of another program does what that program's would.
	FieldManager string
	// LastAppliedAnnotation is the annotation in which ApplyClientSide finds the configuration that was applied last, and keeps the new
	// one; empty: DefaultLastAppliedAnnotation.
	LastAppliedAnnotation string
	// Force takes fields away from other managers. Server-side only: ApplyClientSide always sets what the manifest says, unless LargeServerSide.
	Force bool
	// DryRun has the API server do everything but store the object. It needs the same rights as the real request.
	DryRun bool
	// Strict makes unknown and duplicate fields an error; otherwise the API server drops them in silence.
	Strict bool
	// OptimisticLock refuses the write with a conflict if live is not the object's newest version.
	OptimisticLock bool
	// Own says that what the manager has written to live is to follow the manifest: what the manager owns there, and the manifest lacks, is
	// removed by ApplyClientSide too where no annotation says what was applied.
	Own bool
	// KeepUpdates leaves the fields alone that the manager owns by update, though the manifest lacks them, as a manager does that never turns
	// such ownership into one by apply. Server-side only.
	KeepUpdates bool
	// LargeServerSide applies an object on the server's side that is there and for which the annotation has no room, by Force.
	LargeServerSide bool
}

// altered reports whether a write changed an object. The resourceVersion cannot tell: a controller may have written the status between the
// read and the write.
func altered(before, after *unstructured.Unstructured) bool {
	return before == nil || !reflect.DeepEqual(content(before), content(after))
}

// replaced turns the API server's refusal of a changed UID into the conflict that it is: the UID is sent as a precondition.
func replaced(ref Ref, err error) error {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == "metadata.uid" {
			resource := schema.GroupResource{Group: ref.GVK.Group, Resource: ref.GVK.Kind}
			return apierrors.NewConflict(resource, ref.Name, errors.New("it has been replaced by another object of the same name"))
		}
	}
	return err
}

// content is a copy of an object without status and what the server sets.
func content(obj *unstructured.Unstructured) map[string]any {
	out := manifest.WithoutServerSet(obj)
	unstructured.RemoveNestedField(out.Object, "status")
	return out.Object
}
