package kube

import (
	"context"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// maxTold is how much of an answer that is not what was asked for is told.
const maxTold = 300

// answerError is an answer that is not what was asked for: something between here and the API server has made it, or mixed it up with another
// one. Nothing of it is believed.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// rawAnswer returns the body of an answer. Result.Raw alone would not read the Status in an error's body.
func rawAnswer(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// checked is the client of one object. It believes no answer that is about another one.
type checked struct {
	dynamic.ResourceInterface
	ref Ref
}

// Get reads the object.
func (c checked) Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error) {
	return c.believe(c.ResourceInterface.Get(ctx, name, options, subresources...))
}

// Create creates it.
func (c checked) Create(
	ctx context.Context, obj *unstructured.Unstructured, options metav1.CreateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.believe(c.ResourceInterface.Create(ctx, obj, options, subresources...))
}

// Update replaces it.
func (c checked) Update(
	ctx context.Context, obj *unstructured.Unstructured, options metav1.UpdateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.believe(c.ResourceInterface.Update(ctx, obj, options, subresources...))
}

// Patch changes it.
func (c checked) Patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.believe(c.ResourceInterface.Patch(ctx, name, kind, data, options, subresources...))
}

func (c checked) believe(answer *unstructured.Unstructured, err error) (*unstructured.Unstructured, error) {
	if err != nil {
		return nil, unreadable(err)
	}
	if is := RefOf(answer); is != c.ref {
		text := is.String() + " of " + is.GVK.GroupVersion().String()
		return nil, &answerError{"the answer is about another object, " + printable.Cut(text, maxTold)}
	}
	return answer, nil
}

// unreadable makes an error of its own of an answer that could not be decoded. What decoders say may quote all of it.
func unreadable(err error) error {
	switch {
	case err == nil, isAnswer(err), isCredentialFailure(err), isNetworkFailure(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "rate limiter"):
		return err
	}
	return &answerError{"the answer cannot be read as one of an API server"}
}
