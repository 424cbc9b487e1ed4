package controlplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	requestTimeout = 10 * time.Second
	pollInterval   = 50 * time.Millisecond
)

// object is a Kubernetes object in JSON.
type object = map[string]any

// api is a minimal client of one API server.
type api struct {
	url    string
	client *http.Client
}

func newAPI(url string, config *tls.Config) *api {
	return &api{url: url, client: &http.Client{
		Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true},
		Timeout:   requestTimeout,
	}}
}

// get reads path into the value, which may be nil.
func (a *api) get(ctx context.Context, path string, into any) error {
	status, body, err := a.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s: status %d: %.300s", path, status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

// create creates an object. An existing one remains unchanged, because a member that starts again already has the objects of its first start.
func (a *api) create(ctx context.Context, path string, o object) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	status, answer, err := a.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if status != http.StatusCreated && status != http.StatusConflict {
		return fmt.Errorf("POST %s: status %d: %.300s", path, status, answer)
	}
	return nil
}

// remove deletes the object at path if it exists.
func (a *api) remove(ctx context.Context, path string) error {
	status, answer, err := a.do(ctx, http.MethodDelete, path, nil)
	if err == nil && status != http.StatusOK && status != http.StatusNotFound {
		err = fmt.Errorf("DELETE %s: status %d: %.300s", path, status, answer)
	}
	return err
}

func (a *api) do(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// status requests a URL with a token instead of the client certificate, and returns the status code.
func status(ctx context.Context, url string, config *tls.Config, token string) (int, error) {
	config = config.Clone()
	config.Certificates = nil
	client := newAPI(url, config).client
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// pause waits between two polls.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(pollInterval):
	}
}

// writeFiles writes files that only their owner can read.
func writeFiles(files map[string][]byte) error {
	var errs []error
	for path, data := range files {
		errs = append(errs, os.WriteFile(path, data, 0o600))
	}
	return errors.Join(errs...)
}
