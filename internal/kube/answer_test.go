package kube

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Every operation returns an error for an answer about another object, and for an answer that cannot be decoded. The error does not quote the
// answer.
func TestAnswersAboutSomethingElse(t *testing.T) {
	t.Parallel()
	named := func(kind, apiVersion, namespace, name string) string {
		return `{"kind":"` + kind + `","apiVersion":"` + apiVersion + `","metadata":{"uid":"1","namespace":"` + namespace + `","name":"` + name + `"}}`
	}
	for name, test := range map[string]struct{ answer, says string }{
		"another kind":      {named("Secret", "v1", "default", "a"), "the answer is about another object, Secret default/a of v1. Check what answers"},
		"another group":     {named("ConfigMap", "example.com/v1", "default", "a"), "ConfigMap.example.com default/a"},
		"another version":   {named("ConfigMap", "v2", "default", "a"), "of v2"},
		"another namespace": {named("ConfigMap", "v1", "theirs", "a"), "ConfigMap theirs/a"},
		"another name":      {named("ConfigMap", "v1", "default", "b"), "ConfigMap default/b"},
		"escapes":           {named("ConfigMap", "v1", "default", `b\u001b[31m`), "ConfigMap default/b"},
		"no kind":           {`{"data":{"password":"hunter2"}}`, "the answer cannot be read as one of an API server. Check what answers"},
		"no JSON":           {`hunter2`, "cannot be read"},
		"nothing":           {``, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			answer := func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, test.answer)
			}
			for _, what := range []string{"GET", "PUT", "PATCH"} {
				fake.on(what+" "+configMapsPath+"/a", answer)
			}
			fake.on("POST "+configMapsPath, answer)
			fake.on("GET /api/v1/namespaces/kube-system", answer)
			cluster, ctx := fake.cluster(t), testContext(t)
			one := object(configMapGVK, "default", "a", map[string]any{"data": map[string]any{"k": "v"}})
			_, read := cluster.Get(ctx, configMapGVK, "default", "a")
			_, shared := cluster.Get(ShareReads(ctx), configMapGVK, "default", "a")
			_, created := cluster.Create(ctx, one, WriteOptions{})
			_, updated := cluster.Update(ctx, one, WriteOptions{})
			_, _, applied := cluster.ApplyServerSide(ctx, one, nil, ApplyOptions{})
			_, _, merged := cluster.ApplyClientSide(ctx, one, object(configMapGVK, "default", "a", nil), ApplyOptions{})
			for _, err := range []error{read, shared, created, updated, applied, merged} {
				assertErrorContains(t, err, test.says)
				if err != nil && (strings.ContainsRune(err.Error(), 0x1b) || !IsUnreachable(err) || IsNotFound(err)) {
					t.Errorf("%q", err)
				}
			}
			if _, err := cluster.UID(ctx); err == nil {
				t.Error("an invalid answer was accepted as the identity of the cluster")
			}
		})
	}
}

// Every error about a failing or broken API server says what to do next.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"502": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
		},
		"503": func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusServiceUnavailable, status(503, "ServiceUnavailable", "etcd is away", nil))
		},
		"429":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"no JSON":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hunter2") },
		"no list":  func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, map[string]any{"a": "hunter2"}) },
		"web page": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"kind":`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, at := range []string{"GET /apis", "GET " + configMapsPath, "GET " + configMapsPath + "/a", "POST " + configMapsPath} {
				fake := startFake(t)
				fake.on(at, answer)
				if at == "GET /apis" {
					fake.on("GET /api", answer)
				}
				cluster, ctx := fake.cluster(t), testContext(t)
				var err error
				switch at {
				case "GET " + configMapsPath:
					_, err = cluster.List(ctx, configMapGVK, "default", "")
				case "POST " + configMapsPath:
					_, err = cluster.Create(ctx, object(configMapGVK, "default", "a", nil), WriteOptions{})
				default:
					_, err = cluster.Get(ctx, configMapGVK, "default", "a")
				}
				if err == nil || !strings.Contains(err.Error(), ". Check ") && !strings.Contains(err.Error(), ". Try again") {
					t.Errorf("%s: no next step: %v", at, err)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: the answer is quoted: %v", at, err)
				}
				if !IsTransient(err) {
					t.Errorf("%s: it does not count as a failure of the cluster: %v", at, err)
				}
			}
		})
	}
}
