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

// Error is returned by an operation on a cluster. Its text says what failed, why and, if known, what to do next.
type Error struct {
	Cluster string
	// Op is one of the operations above.
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

// Cause returns the end of the text: why the operation failed, and what to do next. Cause is the same for all operations that fail because a
// cluster is unreachable.
func (e *Error) Cause() string {
	cause, advice := explain(e.Err)
	if advice != "" {
		cause += ". " + advice
	}
	return cause
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// If err is or wraps an *[Error], Elsewhere returns a copy of this *Error with another namespace in its Ref. It returns any other error unchanged.
func Elsewhere(err error, namespace string) error {
	var wrapped *Error
	if !errors.As(err, &wrapped) {
		return err
	}
	out := *wrapped
	out.Ref.Namespace = namespace
	return &out
}

// IsNamespaceMissing reports whether an operation failed because its reference has no namespace although the kind is namespaced.
func IsNamespaceMissing(err error) bool { return errors.Is(err, errNoNamespace) }
