package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

func assertErrorContains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%q holds a secret", err)
	}
}

func testCluster() *Cluster { return NewCluster("m-1", connection.Connection{}, Options{}, nil) }

func TestErrors(t *testing.T) {
	configMaps := schema.GroupResource{Resource: "configmaps"}
	ref := Ref{GVK: configMapGVK, Namespace: "web", Name: "a"}
	generic := func(code int) error {
		return apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{}, "", "404 page not found", 0, true)
	}
	dial := &url.Error{Op: "Get", URL: "https://u:hunter2@h/api", Err: &transport.DialError{Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}}}
	for name, test := range map[string]struct {
		err  error
		is   func(error) bool
		says []string
	}{
		"not found":     {apierrors.NewNotFound(configMaps, "a"), IsNotFound, []string{`cluster "m-1": cannot read ConfigMap web/a: configmaps "a" does not exist (404)`}},
		"unknown path":  {generic(404), IsUnknownKind, []string{"does not serve the kind ConfigMap of v1"}},
		"exists":        {apierrors.NewAlreadyExists(configMaps, "a"), IsAlreadyExists, []string{"exists already"}},
		"conflict":      {apierrors.NewConflict(configMaps, "a", errors.New("newer version")), IsConflict, []string{"changed since it was read", "newer version"}},
		"unauthorized":  {apierrors.NewUnauthorized("no"), IsUnauthorized, []string{"credentials", "token may have expired"}},
		"forbidden":     {apierrors.NewForbidden(configMaps, "a", errors.New(`User "u" cannot get resource "configmaps"`)), IsForbidden, []string{`User "u" cannot get`, "Grant this right"}},
		"invalid":       {apierrors.NewInvalid(configMapGVK.GroupKind(), "a", field.ErrorList{field.Required(field.NewPath("data"), "say why")}), IsInvalid, []string{"(422)", "data: Required value: say why"}},
		"bad request":   {apierrors.NewBadRequest("no such thing"), IsInvalid, []string{"(400)", "no such thing"}},
		"overload":      {generic(429), IsServerFailure, []string{"overloaded", "qps"}},
		"dial":          {dial, IsUnreachable, []string{"connection refused", "Check that the cluster runs"}},
		"DNS":           {&transport.DialError{Err: &net.DNSError{Name: "h.example", IsNotFound: true}}, IsUnreachable, []string{"h.example cannot be resolved"}},
		"down":          {&transport.DownError{Cause: dial}, IsUnreachable, []string{"connection refused. Check"}},
		"deadline":      {&url.Error{Op: "Get", URL: "https://h", Err: context.DeadlineExceeded}, IsUnreachable, []string{"before the time limit"}},
		"plugin":        {&url.Error{Op: "Get", URL: "https://h", Err: &credential.Error{Text: "the command is not found"}}, IsUnauthorized, []string{"no credentials: the command is not found. Check the connection's"}},
		"webhook":       {apierrors.NewInternalError(errors.New(`failed calling webhook "w": Post: net/http: TLS handshake timeout`)), IsServerFailure, []string{"(500)", "webhook"}},
		"no request":    {&requestError{"it has no name"}, IsInvalid, []string{"it has no name"}},
		"configuration": {&connection.ConfigError{Field: "host", Message: "host is odd."}, func(err error) bool { var c *connection.ConfigError; return errors.As(err, &c) }, []string{"host is odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := fmt.Errorf("outer: %w", testCluster().wrap(opRead, ref, test.err))
			if !test.is(err) {
				t.Errorf("not classified: %v", err)
			}
			assertErrorContains(t, err, test.says...)
			classes := 0
			for _, is := range []func(error) bool{
				IsNotFound, IsAlreadyExists, IsUnreachable, IsUnauthorized, IsForbidden, IsConflict, IsInvalid, IsUnknownKind, IsServerFailure,
			} {
				if is(err) {
					classes++
				}
			}
			if classes != 1 && name != "configuration" {
				t.Errorf("%d classes: %v", classes, err)
			}
			var dressed *Error
			if !errors.As(err, &dressed) || dressed.Cluster != "m-1" || dressed.Ref != ref || dressed.Op != "read" {
				t.Errorf("%#v", dressed)
			}
		})
	}
	if cancelled := testCluster().wrap(opRead, ref, &url.Error{Op: "Get", Err: context.Canceled}); IsUnreachable(cancelled) {
		t.Error("the caller's cancellation counts as an unreachable cluster")
	}
	if IsNotFound(nil) || IsUnreachable(nil) || IsUnauthorized(nil) || IsConflict(nil) || IsInvalid(nil) || IsUnknownKind(nil) || IsServerFailure(nil) {
		t.Error("nil has a class")
	}
}

// TestIsObjectNotFound checks that only a 404 about the object itself counts.
func TestIsObjectNotFound(t *testing.T) {
	notFound := func(resource, name string) error {
		return apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name)
	}
	denied := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 404, Message: `admission webhook "w" denied the request: no such team`}}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"the object":     {notFound("configmaps", "a"), true},
		"another object": {notFound("configmaps", "b"), false},
		"its Namespace":  {notFound("namespaces", "a"), false},
		"its kind":       {notFound("", ""), false},
		"a webhook":      {denied, false},
		"a conflict":     {apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("newer")), false},
		"no error":       {nil, false},
	} {
		if got := IsObjectNotFound(testCluster().wrap(opApply, Ref{}, c.err), "configmaps", "a"); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestConflictsAreRead(t *testing.T) {
	cause := func(message, path string) metav1.StatusCause {
		return metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Message: message, Field: path}
	}
	err := &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: 409, Reason: metav1.StatusReasonConflict, Message: "Apply failed with 4 conflicts", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
			cause(`conflict with "kubectl-client-side-apply" using apps/v1 at 2024-05-06T07:08:09Z`, ".spec.template"),
			cause(`conflict with "hpa" with subresource "scale" using autoscaling/v1`, ".spec.replicas"),
			cause(`conflict with "kubectl-client-side-apply" using apps/v1`, `.spec.x[name="a"]`),
			cause(`something new`, ".y"),
			{Type: "Other", Message: "ignored"},
		}},
	}}
	ref := Ref{GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Namespace: "web", Name: "api"}
	wrapped := testCluster().wrap(opApply, ref, err)
	var conflict *ConflictError
	if !errors.As(wrapped, &conflict) || !IsConflict(wrapped) {
		t.Fatal(wrapped)
	}
	want := []Conflict{
		{Manager: "kubectl-client-side-apply", Field: ".spec.template"},
		{Manager: "hpa", Subresource: "scale", Field: ".spec.replicas"},
		{Manager: "kubectl-client-side-apply", Field: `.spec.x[name="a"]`},
		{Manager: "something new", Field: ".y"},
	}
	if fmt.Sprint(conflict.Conflicts) != fmt.Sprint(want) || conflict.Cluster != "m-1" || conflict.Ref != ref {
		t.Errorf("%+v", conflict)
	}
	assertErrorContains(t, wrapped, `cannot apply Deployment.apps web/api: other managers own fields of it: "kubectl-client-side-apply" owns .spec.template, .spec.x[name="a"]; "hpa" (through scale) owns .spec.replicas`)
	if left := withoutManager(conflict.Conflicts, "hpa"); len(left) != 3 || len(conflict.Conflicts) != 4 {
		t.Error("without changed its argument, or removed the wrong ones")
	}
}

func TestSecretsAreNotQuoted(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	ref := Ref{GVK: secretGVK, Namespace: "web", Name: "db"}
	data := field.NewPath("data").Key("password")
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"invalid":     {apierrors.NewInvalid(secretGVK.GroupKind(), "db", field.ErrorList{field.Invalid(data, "hunter2", "too short")}), "data[password]"},
		"bad request": {apierrors.NewBadRequest(`json: cannot unmarshal "hunter2"`), "withheld"},
		"webhook":     {apierrors.NewForbidden(secrets, "db", errors.New(`ValidatingAdmissionPolicy "p" denied: hunter2`)), "withheld"},
		"internal":    {apierrors.NewInternalError(errors.New("hunter2")), "withheld"},
		"rights":      {apierrors.NewForbidden(secrets, "db", errors.New(`User "u" cannot create resource "secrets"`)), `User "u" cannot create`},
		"not found":   {apierrors.NewNotFound(secrets, "db"), "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			err := testCluster().wrap(opCreate, ref, test.err)
			assertErrorContains(t, err, test.says)
			for inner := err; inner != nil; inner = errors.Unwrap(inner) {
				if text := fmt.Sprintf("%v %+v %#v", inner, inner, inner); strings.Contains(text, "hunter2") {
					t.Errorf("the secret is in %T: %s", inner, text)
				}
			}
			if apierrors.ReasonForError(err) != apierrors.ReasonForError(test.err) {
				t.Error("the reason differs")
			}
		})
	}
}

// A deadline that has passed counts as transient, so that a loop that waits reports its own timeout, and not the error of the request that the deadline ended.
func TestTimeThatIsOverPasses(t *testing.T) {
	for err, want := range map[error]bool{
		&Error{Err: context.DeadlineExceeded}: true, context.DeadlineExceeded: true, context.Canceled: false,
		apierrors.NewServiceUnavailable("later"): true, apierrors.NewBadRequest("no"): false,
	} {
		if got := IsTransient(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// TestSecretInStatus checks that a status which quotes a Secret outside its message does not get into an error.
func TestSecretInStatus(t *testing.T) {
	t.Parallel()
	ref := Ref{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Namespace: "n", Name: "s"}
	const denial = `admission webhook "w" denied the request: hunter2`
	for name, status := range map[string]metav1.Status{
		"field": {Code: 422, Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
			{Type: "FieldValueInvalid", Field: `data: {"a":"hunter2"}`}, {Type: "FieldValueInvalid", Field: "data[a]"},
		}}},
		"conflict":       {Code: 409, Reason: metav1.StatusReasonConflict, Message: denial},
		"already exists": {Code: 409, Reason: metav1.StatusReasonAlreadyExists, Message: denial},
		"not found":      {Code: 404, Reason: metav1.StatusReasonNotFound, Message: denial},
	} {
		err := testCluster().wrap(opApply, ref, &apierrors.StatusError{ErrStatus: status})
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "data[a]") != (name == "field") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
