package kube

import (
	"errors"
	"fmt"
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

// Error is a failed operation on a cluster. Its text says what failed, why and, if known, what to do next.
type Error struct {
	Cluster string
	// Op is the operation as a verb: read, list, create, apply, update, patch, delete, discover, ...
	Op string
	// Ref is the object. It has no name for a list, and is empty if the operation concerns the whole cluster.
	Ref Ref
	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("cluster %q: cannot %s", e.Cluster, e.Op)
	switch {
	case e.Ref != (Ref{}):
		text += " " + e.Ref.String()
	case e.Op == opDiscover:
		text += " its API resources"
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Elsewhere returns the error of an operation on an object with another namespace in its Ref.
func Elsewhere(err error, namespace string) error {
	var wrapped *Error
	if !errors.As(err, &wrapped) {
		return err
	}
	out := *wrapped
	out.Ref.Namespace = namespace
	return &out
}

// IsNamespaceMissing reports whether the request named no namespace although the kind is namespaced.
func IsNamespaceMissing(err error) bool { return errors.Is(err, errNoNamespace) }
