package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	// identifyTimeout limits the duration of the identity check of a new connection. maxIdentity limits the size of its answer, in bytes.
	identifyTimeout = 10 * time.Second
	maxIdentity     = 1 << 20
)

// verify is called before a new connection is used. It returns an error if the connection leads to another cluster than before, or if the identity of the
// cluster cannot be read. If no earlier identity is known, it returns nil without a check.
func (c *Cluster) verify(ctx context.Context) error {
	known := c.uid.peek()
	clients := c.clients.peek()
	if known == nil || clients == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, identifyTimeout)
	defer cancel()
	is, err := clients.identify(ctx)
	switch {
	case err != nil:
		return &transport.DialError{Err: fmt.Errorf("it is not known which cluster answers at the new connection: %w", err)}
	case is != *known:
		return &replacedError{was: *known, is: is}
	}
	return nil
}

// identifier returns a function that reads the identity of the cluster on a separate connection.
func (c *Cluster) identifier(config *rest.Config) (func(context.Context) (types.UID, error), error) {
	config = rest.CopyConfig(config)
	config.Dial = c.transport.DialUnverified
	var client *http.Client
	var err error
	if config.ExecProvider != nil {
		client, err = credential.Client(config, c.transport.Wait)
	} else {
		client, err = rest.HTTPClientFor(config)
	}
	if err != nil {
		return nil, err
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	url := strings.TrimSuffix(config.Host, "/") + "/api/v1/namespaces/" + metav1.NamespaceSystem
	return func(ctx context.Context) (types.UID, error) {
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return "", err
		}
		request.Header.Set("Accept", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return "", err
		}
		defer func() { _ = response.Body.Close() }()
		var namespace metav1.PartialObjectMetadata
		text, err := io.ReadAll(io.LimitReader(response.Body, maxIdentity))
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", response.StatusCode)
		}
		if err == nil {
			err = json.Unmarshal(text, &namespace)
		}
		return namespace.UID, err
	}, nil
}
