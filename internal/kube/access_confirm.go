package kube

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Confirm asks once more what CanI has answered, past what is kept, and keeps the new answer. It is for a request that was forbidden though
// the account may make it: what cannot be told from the refusal is whether the account lacks a right or an admission rule has an opinion.
func (c *Cluster) Confirm(ctx context.Context, check Check) (bool, error) {
	return call(ctx, c, opAccess, Ref{}, func(clients *clients) (bool, error) {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: check.Verb, Group: check.GVR.Group, Version: check.GVR.Version, Resource: check.GVR.Resource, Namespace: check.Namespace,
			},
		}}
		answer, err := clients.access.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return answer.Status.Allowed, nil
	})
}
