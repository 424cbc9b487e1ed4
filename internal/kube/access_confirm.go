package kube

import "context"

// Confirm repeats a check without the cache, and caches the new answer for CanI. Use it after a request was forbidden although CanI allows it:
// the response does not show whether the account lacks the right or an admission rule denied the request.
func (c *Cluster) Confirm(ctx context.Context, check Check) (bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (bool, error) { return c.requestAccess(ctx, clients, check) })
}
