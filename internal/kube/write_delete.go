package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Delete deletes the object with this UID, and no other: one that has taken its name meanwhile is an error for which IsConflict holds,
// an absent one an error for which IsNotFound holds. An empty propagation leaves the choice to the kind. Delete does not wait: see
// WaitGone.
func (c *Cluster) Delete(ctx context.Context, ref Ref, uid types.UID, propagation metav1.DeletionPropagation) error {
	return c.DeleteUnchanged(ctx, ref, Seen{UID: string(uid)}, propagation)
}

// DeleteUnchanged deletes the object as Delete does, and only while it is as it was seen: one that has changed since is an error for which
// IsConflict holds. An empty resourceVersion lets it have changed.
func (c *Cluster) DeleteUnchanged(ctx context.Context, ref Ref, seen Seen, propagation metav1.DeletionPropagation) error {
	_, err := call(ctx, c, opDelete, ref, func(clients *clients) (struct{}, error) {
		if seen.UID == "" {
			return struct{}{}, &requestError{"its UID is not known, and without it another object of the same name could be deleted"}
		}
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return struct{}{}, err
		}
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID(seen.UID))}}
		if seen.ResourceVersion != "" {
			options.Preconditions.ResourceVersion = &seen.ResourceVersion
		}
		if propagation != "" {
			options.PropagationPolicy = &propagation
		}
		return struct{}{}, client.Delete(ctx, ref.Name, options)
	})
	return err
}
