package kube

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Operations, as verbs that complete "cannot ...".
const (
	opDiscover = "discover"
	opIdentify = "identify"
	opAccess   = "check permissions"
	opRead     = "read"
	opList     = "list"
	opCreate   = "create"
	opUpdate   = "update"
	opApply    = "apply"
	opPatch    = "patch"
	opDelete   = "delete"
	opWait     = "wait for the removal of"
)

// Error is a failed operation on a cluster. Its text says what failed, why, and what to do about it where that is known.
type Error struct {
	Cluster string
	// Op is the operation as a verb: read, list, create, apply, update, patch, delete, discover, ...
	Op string
	// Ref is the object; for a list it has no name, and for what concerns the whole cluster it is empty.
	Ref Ref
	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("cluster %q: cannot %s", e.Cluster, e.Op)
	switch {
	case e.Ref != (Ref{}):
		text += " " + e.Ref.String()
	case e.Op == opDiscover:
		text += " what it serves"
	case e.Op == opIdentify:
		text += " it"
	}
	return text + ": " + e.Cause()
}

// Cause returns the end of the text: why it failed, and what to do about it. It is the same for all operations that fail because a cluster cannot be reached.
func (e *Error) Cause() string {
	cause, advice := explain(e.Err)
	if advice != "" {
		cause += ". " + advice
	}
	return cause
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Elsewhere is an error of an operation on an object, told as one of the same object in another namespace.
func Elsewhere(err error, namespace string) error {
	var dressed *Error
	if !errors.As(err, &dressed) {
		return err
	}
	out := *dressed
	out.Ref.Namespace = namespace
	return &out
}

// requestError is a request that is wrong by itself and was not sent.
type requestError struct{ text string }

func (e *requestError) Error() string { return e.text }

var errNoNamespace = &requestError{"its kind is namespaced, but it has no namespace"}

// IsNamespaceMissing reports whether an object without a namespace was asked for, and its kind is namespaced.
func IsNamespaceMissing(err error) bool { return errors.Is(err, errNoNamespace) }

// wrap dresses an error that leaves the package. One that is dressed already stays as it is.
func (c *Cluster) wrap(op string, ref Ref, err error) error {
	if err == nil {
		return nil
	}
	var dressed *Error
	if errors.As(err, &dressed) {
		return err
	}
	if isMissingPath(err) && ref.GVK.Kind != "" {
		// The kind was served when discovery ran, and is not any more. That says nothing of the object.
		c.catalog.reset()
		err = &UnknownKindError{Cluster: c.name, GVK: ref.GVK}
	}
	if isSecret(ref.GVK) {
		err = withoutContent(err)
	}
	if conflict := asConflictError(c.name, ref, err); conflict != nil {
		err = conflict
	}
	return &Error{Cluster: c.name, Op: op, Ref: ref, Err: err}
}

func isSecret(gvk schema.GroupVersionKind) bool { return gvk.Group == "" && gvk.Kind == "Secret" }
