package kube

import (
	"context"
	"time"

	authentication "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// ServiceAccountToken requests a token for a ServiceAccount, and returns the token and its expiry. The API server may change the lifetime,
// and does not store the token.
func (c *Cluster) ServiceAccountToken(ctx context.Context, namespace, name string, lifetime time.Duration) (string, time.Time, error) {
	ref := Ref{GVK: schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}, Namespace: namespace, Name: name}
	answer, err := call(ctx, c, opCreate, ref, func(clients *clients) (*authentication.TokenRequest, error) {
		request := &unstructured.Unstructured{Object: map[string]any{
			"spec": map[string]any{"expirationSeconds": int64(lifetime.Seconds())},
		}}
		request.SetGroupVersionKind(authentication.SchemeGroupVersion.WithKind("TokenRequest"))
		request.SetName(name)
		accounts := clients.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}).Namespace(namespace)
		token, err := accounts.Create(ctx, request, metav1.CreateOptions{}, "token")
		if err != nil {
			return nil, err
		}
		out := &authentication.TokenRequest{}
		return out, runtime.DefaultUnstructuredConverter.FromUnstructured(token.Object, out)
	})
	if err != nil {
		return "", time.Time{}, err
	}
	return answer.Status.Token, answer.Status.ExpirationTimestamp.Time, nil
}

// Endpoint returns the address of the cluster and its CA certificates in PEM. certificates is empty if the connection uses the CA certificates of the machine,
// or does not verify the server.
func (c *Cluster) Endpoint() (url string, certificates []byte, err error) {
	config, err := c.connection.RESTConfig()
	if err != nil {
		return "", nil, err
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return "", nil, err
	}
	return config.Host, config.CAData, nil
}
