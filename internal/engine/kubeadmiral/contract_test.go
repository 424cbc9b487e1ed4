package kubeadmiral_test

import (
	"context"
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

func TestContract(t *testing.T) { enginetest.Test(t, subject, fleet) }

// tidy removes a placement and the objects on the host from which it was placed.
func tidy(ctx context.Context, w *enginetest.World, name string) error {
	var errs []error
	for _, ref := range []fixture.Ref{
		{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.ClusterPropagationPolicyKind, Name: name},
		{APIVersion: "v1", Kind: "Namespace", Name: w.Name},
	} {
		u, err := w.On(w.Env.Hub).Find(ctx, ref)
		if err == nil && u != nil {
			err = w.On(w.Env.Hub).Drop(ctx, u)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
