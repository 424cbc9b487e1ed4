package kube

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// WriteOptions are how an object is written.
type WriteOptions struct {
	// FieldManager is the name under which the write owns fields; empty: that of Options.
	FieldManager string
	// DryRun has the API server do everything but store the object. It needs the same rights as the real request.
	DryRun bool
	// Strict makes unknown and duplicate fields an error; otherwise the API server drops them in silence.
	Strict bool
	// Subresource is written instead of the object, "status" for instance. For Update and Patch only.
	Subresource string
}

// Create creates an object, and only that: one that exists already is an error for which IsAlreadyExists holds. What the server sets by
// itself (UID, resourceVersion, managedFields, ...) is not sent.
func (c *Cluster) Create(ctx context.Context, obj *unstructured.Unstructured, opts WriteOptions) (*unstructured.Unstructured, error) {
	return call(ctx, c, opCreate, RefOf(obj), func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, RefOf(obj))
		if err != nil {
			return nil, err
		}
		return client.Create(ctx, manifest.WithoutServerSet(obj), metav1.CreateOptions{
			FieldManager: c.FieldManager(opts.FieldManager), DryRun: dryRun(opts.DryRun), FieldValidation: validation(opts.Strict),
		})
	})
}

// Update replaces an object. It is sent as it is: with a resourceVersion, the API server refuses it if the object has changed meanwhile.
func (c *Cluster) Update(ctx context.Context, obj *unstructured.Unstructured, opts WriteOptions) (*unstructured.Unstructured, error) {
	return call(ctx, c, opUpdate, RefOf(obj), func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, RefOf(obj))
		if err != nil {
			return nil, err
		}
		return client.Update(ctx, obj, metav1.UpdateOptions{
			FieldManager: c.FieldManager(opts.FieldManager), DryRun: dryRun(opts.DryRun), FieldValidation: validation(opts.Strict),
		}, subresources(opts.Subresource)...)
	})
}

// Patch sends a patch as it is. For types.ApplyPatchType use ApplyServerSide.
func (c *Cluster) Patch(
	ctx context.Context, ref Ref, patch types.PatchType, data []byte, opts WriteOptions,
) (*unstructured.Unstructured, error) {
	return call(ctx, c, opPatch, ref, func(clients *clients) (*unstructured.Unstructured, error) {
		client, err := c.object(ctx, clients, ref)
		if err != nil {
			return nil, err
		}
		return client.Patch(ctx, ref.Name, patch, data, metav1.PatchOptions{
			FieldManager: c.FieldManager(opts.FieldManager), DryRun: dryRun(opts.DryRun), FieldValidation: validation(opts.Strict),
		}, subresources(opts.Subresource)...)
	})
}

// FieldManager returns the name under which a write owns fields that gives this one, or none.
func (c *Cluster) FieldManager(ofWrite string) string { return cmp.Or(ofWrite, c.options.FieldManager) }

func dryRun(only bool) []string {
	if only {
		return []string{metav1.DryRunAll}
	}
	return nil
}

func validation(strict bool) string {
	if strict {
		return metav1.FieldValidationStrict
	}
	return ""
}

func subresources(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
