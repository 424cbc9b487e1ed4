package memberpreview

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const discovery = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [{"metadata": {"name": ""}, "versions": [{"version": "v1",
	"resources": [{"resource": "configmaps", "responseKind": {"version": "v1", "kind": "ConfigMap"}, "scope": "Namespaced", "verbs": ["get", "patch"]}]}]}]}`

// fakeEngine owns no object, and returns err for each dry run of an existing object.
type fakeEngine struct{ err error }

func (fakeEngine) Owns(*Object) bool { return false }

func (fakeEngine) Owner(*unstructured.Unstructured) takeover.Owner { return takeover.Owner{} }

func (fakeEngine) References(*unstructured.Unstructured) []metav1.OwnerReference { return nil }

func (fakeEngine) Marked(*Object) bool { return false }

func (fakeEngine) Applied(*Object) bool { return false }

func (fakeEngine) UpToDate(*Object) bool { return false }

func (fakeEngine) LastSeen(*Object) kube.Seen { return kube.Seen{} }

func (e fakeEngine) Write(_ context.Context, o *Object, _ takeover.Action, _ bool) (*unstructured.Unstructured, error) {
	if o.Live == nil {
		return o.Desired, nil
	}
	return nil, e.err
}

func (fakeEngine) Changes(_ diff.Schema, _ *Object, _ takeover.Action, set []diff.Difference) []diff.Difference {
	return set
}

func (fakeEngine) Conflicts(diff.Schema, *Object, takeover.Action) []diff.Conflict { return nil }

func (fakeEngine) LastApplied(*unstructured.Unstructured) *unstructured.Unstructured { return nil }

func (fakeEngine) Removals(diff.Schema, *Object, takeover.Action) ([]diff.Difference, bool) {
	return nil, true
}

// TestFailedDryRun checks what a preview shows after a dry run fails for a reason other than the object itself: another client has deleted the object, or the
// credentials have lost the right to write it.
func TestFailedDryRun(t *testing.T) {
	t.Parallel()
	configMaps := schema.GroupResource{Resource: "configmaps"}
	newObject := func(value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "default"}, "data": map[string]any{"value": value},
		}}
	}
	for name, c := range map[string]struct {
		err     error
		allowed string
		action  takeover.Action
		untried engine.Untried
		method  engine.CheckMethod
	}{
		"deleted":            {apierrors.NewNotFound(configMaps, "a"), "true", takeover.ActionCreate, "", engine.CheckDryRun},
		"of another object":  {apierrors.NewNotFound(configMaps, "b"), "true", takeover.ActionReject, "", engine.CheckDryRun},
		"right lost":         {apierrors.NewForbidden(configMaps, "a", io.EOF), "false", takeover.ActionTakeOver, engine.UntriedPermission, engine.CheckReadOnly},
		"denied by a policy": {apierrors.NewForbidden(configMaps, "a", io.EOF), "true", takeover.ActionReject, "", engine.CheckDryRun},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
			response.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path == "/api", r.URL.Path == "/apis":
				response.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
				_, _ = io.WriteString(response, discovery)
			case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
				_, _ = io.WriteString(response, `{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": {"allowed": `+c.allowed+`}}`)
			default:
				response.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(response, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
					"details": {"kind": "configmaps", "name": "a"}}`)
			}
		}))
		client := kube.NewCluster("a", connection.Connection{Host: server.URL, Token: "a-token"}, kube.Options{}, nil)
		strategy := *placement.Spec{}.Defaulted().Strategy.ApplyStrategy
		strategy.WhenToTakeOver = placement.TakeOverAlways
		o := &Object{
			Desired: newObject("1"), Live: newObject("2"),
			Mapping: kube.Mapping{GVR: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespaced: true},
		}
		o.Version, o.Kind, o.Namespace, o.Name = "v1", "ConfigMap", "default", "a"
		m := &Member{Cluster: client, Ownership: fakeEngine{}, Writer: fakeEngine{c.err}, Strategy: strategy, DryRun: true, checkMethod: engine.CheckDryRun}
		m.allowed = map[kube.Check]bool{o.permission(): true}
		if err := m.Decide(t.Context(), o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		client.Close()
		server.Close()
		if o.Action != c.action || o.Untried != c.untried || m.CheckMethod() != c.method {
			t.Errorf("%s: %s, %q, %s: %s", name, o.Action, o.Untried, m.CheckMethod(), o.Problem)
		}
	}
}
