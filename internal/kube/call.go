package kube

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// call runs one operation on the object or list of ref, and wraps its error. It does not run the operation if ref is invalid or the cluster counts as
// unreachable. After a 401, which has no effect on the cluster, call repeats the operation if the credentials may have been renewed.
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

// wrap returns err as an *Error, or unchanged if it already wraps one. It removes the content of Secrets from the error, and converts field conflicts and
// the 404 of a kind that is no longer served into their typed errors.
func (c *Cluster) wrap(op string, ref Ref, err error) error {
	if err == nil {
		return nil
	}
	var wrapped *Error
	if errors.As(err, &wrapped) {
		return err
	}
	if isMissingPath(err) && ref.GVK.Kind != "" {
		// Discovery listed the kind, but it is no longer served. The object may still exist.
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
