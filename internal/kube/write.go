package kube

import (
	"cmp"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// WriteOptions configure a write.
type WriteOptions struct {
	// FieldManager is the manager that owns the written fields. If it is empty, the manager of Options is used.
	FieldManager string
	// DryRun sends a dry run, which needs the same rights as the real request.
	DryRun bool
	// Strict makes the API server reject unknown and duplicate fields. Otherwise the API server drops these fields with a warning, which the client ignores.
	Strict bool
	// Subresource is the subresource that Update and Patch write instead of the object, for example "status".
	Subresource string
}

// Create creates an object. If the object already exists, Create returns an error for which IsAlreadyExists holds. Fields that the server
// sets (UID, resourceVersion, managedFields, ...) are not sent.
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

// Update replaces an object. It sends obj unchanged. If obj has a resourceVersion, the API server rejects the update if the object has
// changed.
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

// Patch sends a patch unchanged. For types.ApplyPatchType use ApplyServerSide.
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

// FieldManager returns the field manager of a write: ofWrite, or the manager of Options if ofWrite is empty.
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
