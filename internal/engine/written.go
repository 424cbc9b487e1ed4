package engine

import "context"

type writtenKey struct{}

// WithWritten returns a context for an operation that waits for a control plane after its last write. The operation calls [Written] after this write, when only
// the wait remains.
func WithWritten(ctx context.Context, written func()) context.Context {
	return context.WithValue(ctx, writtenKey{}, written)
}

// Written calls the function of [WithWritten], if the context has one.
func Written(ctx context.Context) {
	if written, ok := ctx.Value(writtenKey{}).(func()); ok {
		written()
	}
}
