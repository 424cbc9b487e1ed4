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

// maxQuoted is the maximum length, in characters, of the text that describes an unexpected answer in an error message.
const maxQuoted = 300

// rawAnswer is Result.Raw, but decodes the Status in the body of an error response.
func rawAnswer(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// A verifiedClient returns an error for an answer that is about another object.
type verifiedClient struct {
	dynamic.ResourceInterface
	ref Ref
}

func (c verifiedClient) Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error) {
	return c.verifyIdentity(c.ResourceInterface.Get(ctx, name, options, subresources...))
}

func (c verifiedClient) Create(
	ctx context.Context, obj *unstructured.Unstructured, options metav1.CreateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.verifyIdentity(c.ResourceInterface.Create(ctx, obj, options, subresources...))
}

func (c verifiedClient) Update(
	ctx context.Context, obj *unstructured.Unstructured, options metav1.UpdateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.verifyIdentity(c.ResourceInterface.Update(ctx, obj, options, subresources...))
}

func (c verifiedClient) Patch(
	ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return c.verifyIdentity(c.ResourceInterface.Patch(ctx, name, kind, data, options, subresources...))
}

func (c verifiedClient) verifyIdentity(answer *unstructured.Unstructured, err error) (*unstructured.Unstructured, error) {
	if err != nil {
		return nil, asAnswerError(err)
	}
	if is := RefOf(answer); is != c.ref {
		text := is.String() + " of " + is.GVK.GroupVersion().String()
		return nil, &answerError{"the answer is about another object, " + printable.Cut(text, maxQuoted)}
	}
	return answer, nil
}

// asAnswerError replaces the error of a decoder by an *answerError, because a decoder's error may quote the whole answer. It returns an error of another
// known origin unchanged: an error response of the API server, a failure of the credentials or of the network, the end of the context, and the client's rate
// limiter.
func asAnswerError(err error) error {
	switch {
	case err == nil, isAnswer(err), isCredentialFailure(err), isNetworkFailure(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "rate limiter"):
		return err
	}
	return &answerError{"the answer cannot be read as one of an API server"}
}
