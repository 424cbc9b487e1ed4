package kube

import "context"

// Confirm asks once more what CanI has answered, past what is kept, and keeps the new answer: CanI gives it from then on. It is for a
// request that was forbidden though the account may make it: what cannot be told from the refusal is whether the account lacks a right or
// an admission rule has an opinion.
func (c *Cluster) Confirm(ctx context.Context, check Check) (bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (bool, error) { return c.review(ctx, clients, check) })
}
