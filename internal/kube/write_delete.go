package kube

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Delete deletes the object with this UID, which must not be empty. If an object with this name has another UID, Delete returns an error for which
// IsConflict holds. If there is no object with this name, it returns an error for which IsNotFound holds. An empty propagation means the default of the
// kind. Delete does not wait: see WaitGone.
func (c *Cluster) Delete(ctx context.Context, ref Ref, uid types.UID, propagation metav1.DeletionPropagation) error {
	_, err := c.Remove(ctx, ref, uid, propagation)
	return err
}

// Remove deletes an object like [Cluster.Delete], and reports whether the answer of the API server proves that the object no longer exists. If
// isGone is false, the object may still wait for finalizers.
func (c *Cluster) Remove(ctx context.Context, ref Ref, uid types.UID, propagation metav1.DeletionPropagation) (isGone bool, err error) {
	return c.RemoveUnchanged(ctx, ref, Seen{UID: string(uid)}, propagation)
}

// RemoveUnchanged is like [Cluster.Remove], but deletes only the version of the object in seen. If the object has changed, it returns an error for which
// IsConflict holds. seen.UID must not be empty. If seen.ResourceVersion is empty, RemoveUnchanged deletes any version.
func (c *Cluster) RemoveUnchanged(ctx context.Context, ref Ref, seen Seen, propagation metav1.DeletionPropagation) (isGone bool, err error) {
	return call(ctx, c, opDelete, ref, func(clients *clients) (bool, error) {
		if seen.UID == "" {
			return false, &requestError{"its UID is not known, and without it another object of the same name could be deleted"}
		}
		mapping, err := c.locate(ctx, clients, ref)
		if err != nil {
			return false, err
		}
		options := metav1.DeleteOptions{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}, Preconditions: &metav1.Preconditions{UID: new(types.UID(seen.UID))},
		}
		if seen.ResourceVersion != "" {
			options.Preconditions.ResourceVersion = &seen.ResourceVersion
		}
		if propagation != "" {
			options.PropagationPolicy = &propagation
		}
		body, err := json.Marshal(options)
		if err != nil {
			return false, err
		}
		answer, err := rawAnswer(clients.rest.Delete().AbsPath(objectPath(mapping, ref)...).SetHeader("Content-Type", "application/json").Body(body).Do(ctx))
		if err != nil {
			return false, err
		}
		return isRemovalProof(answer), nil
	})
}

// isRemovalProof reports whether the answer to a deletion is a successful Status, which proves that the object no longer exists. For an object with finalizers,
// the API server returns the object instead.
func isRemovalProof(answer []byte) bool {
	var status metav1.Status
	return json.Unmarshal(answer, &status) == nil && status.Kind == "Status" && status.APIVersion == "v1" && status.Status == metav1.StatusSuccess
}
