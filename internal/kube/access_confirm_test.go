package kube

import (
	"encoding/json"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestConfirm checks that a new answer replaces the cached answer, regardless of the source of the latter, and that a failure does not.
func TestConfirm(t *testing.T) {
	check := func(verb string) Check {
		return Check{Verb: verb, GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "web"}
	}
	one, many := []Check{check("patch")}, []Check{check("get"), check("patch"), check("create")}
	for name, test := range map[string]struct {
		ask []Check
		// before and after are the allowed verbs; rules means that the cluster lists the rules of a namespace.
		before, after string
		rules         bool
	}{
		"a right of an administrator that is none": {many, "*", "get", false},
		"a right of the rules that is none":        {many, "patch", "get", true},
		"a right that was withdrawn":               {one, "patch", "", false},
		"a right that was granted":                 {one, "", "patch", false},
		"a right that is still there":              {many, "*", "*", false},
		"a right that is still missing":            {many, "get", "get", false},
	} {
		t.Run(name, func(t *testing.T) {
			fake, allowed, broken := startFake(t), test.before, false
			may := func(verb string) bool { return allowed == "*" || allowed == verb }
			fake.on("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", func(w http.ResponseWriter, r *http.Request) {
				var review map[string]any
				if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
					t.Error(err)
				}
				if broken {
					writeJSON(w, 403, status(403, "Forbidden", "not you", nil))
					return
				}
				verb, _, _ := unstructured.NestedString(review, "spec", "resourceAttributes", "verb")
				review["status"] = map[string]any{"allowed": may(verb)}
				writeJSON(w, 201, review)
			})
			if test.rules {
				fake.on("POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews", func(w http.ResponseWriter, _ *http.Request) {
					writeJSON(w, 201, map[string]any{"status": map[string]any{"resourceRules": []any{
						map[string]any{"verbs": []any{allowed}, "apiGroups": []any{""}, "resources": []any{"configmaps"}},
					}}})
				})
			}
			cluster, ctx := fake.cluster(t), testContext(t)
			canI := func(want bool) {
				t.Helper()
				if got, err := cluster.CanI(ctx, test.ask); err != nil || got[check("patch")] != want {
					t.Errorf("%v, %v; want %v", got, err, want)
				}
			}
			before := may("patch")
			canI(before)
			allowed, broken = test.after, true
			if _, err := cluster.Confirm(ctx, check("patch")); !IsForbidden(err) {
				t.Errorf("error %v", err)
			}
			canI(before)
			broken = false
			if got, err := cluster.Confirm(ctx, check("patch")); err != nil || got != may("patch") {
				t.Errorf("%v, %v; want %v", got, err, may("patch"))
			}
			canI(may("patch"))
			asked := cluster.Stats().Requests
			canI(may("patch"))
			if now := cluster.Stats().Requests; now != asked {
				t.Errorf("%d requests for cached answers", now-asked)
			}
		})
	}
}
