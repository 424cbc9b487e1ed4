package clusters

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	const object = "/api/v1/namespaces/a/configmaps/b"
	for _, test := range []struct {
		method, path, query, body string
		want                      bool
	}{
		{http.MethodGet, object, "", "", false},
		{http.MethodPost, "/api/v1/namespaces", "", "{}", true},
		{http.MethodPost, "/api/v1/namespaces", "dryRun=All", "{}", false},
		{http.MethodPut, object, "fieldManager=x", "", true},
		{http.MethodPatch, object, "dryRun=All&force=true", "", false},
		{http.MethodPatch, object, "force=true", "", true},
		{http.MethodDelete, object, "", "", true},
		{http.MethodDelete, object, "", `{"kind":"DeleteOptions","dryRun":["All"]}`, false},
		{http.MethodDelete, object, "", `{"kind":"DeleteOptions"}`, true},
		{http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", "{}", false},
		{http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "", "{}", false},
		{http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", "", "{}", false},
		{http.MethodPost, "/api/v1/namespaces/a/serviceaccounts/b/token", "", "{}", true},
	} {
		query, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		request := Request{Method: test.method, Path: test.path, Query: query, DryRun: dryRun(query, []byte(test.body))}
		if request.Write() != test.want {
			t.Errorf("%s with body %q: write %v, want %v", request, test.body, request.Write(), test.want)
		}
	}
}

func TestLinkerFlags(t *testing.T) {
	flags, err := linkerFlags("module x\n\nrequire (\n\tk8s.io/kubernetes v1.36.3\n)\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-X k8s.io/component-base/version.gitVersion=v1.36.3", "-X k8s.io/client-go/pkg/version.gitMinor=36"} {
		if !strings.Contains(flags, want) {
			t.Errorf("no %s in %s", want, flags)
		}
	}
	if _, err := linkerFlags("module x\n"); err == nil {
		t.Error("a module without Kubernetes was accepted")
	}
}
