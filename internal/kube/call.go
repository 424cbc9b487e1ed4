package kube

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// call runs one operation and wraps its error. After a 401, which has no effect on the cluster, it runs the operation once more if the
// credentials may have been renewed.
func call[T any](ctx context.Context, c *Cluster, op string, ref Ref, run func(*clients) (T, error)) (T, error) {
	var result T
	if err := ref.check(); err != nil {
		return result, c.wrap(op, ref, err)
	}
	clients, err := c.connect(ctx)
	if err == nil {
		err = c.transport.Down(ctx)
	}
	if err != nil {
		return result, c.wrap(op, ref, err)
	}
	result, err = run(clients)
	if clients.isRefreshable && apierrors.IsUnauthorized(err) {
		result, err = run(clients)
	}
	return result, c.wrap(op, ref, err)
}

// wrap returns err as an *Error, or unchanged if it already wraps one.
func (c *Cluster) wrap(op string, ref Ref, err error) error {
	if err == nil {
		return nil
	}
	var wrapped *Error
	if errors.As(err, &wrapped) {
		return err
	}
	if isMissingPath(err) && ref.GVK.Kind != "" {
		// Discovery listed the kind, but it is no longer served. This says nothing about the object.
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
